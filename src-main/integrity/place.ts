import { ExplainedError } from '../base/errors.ts'
import { refusal, type Refusal } from '../base/refusal.ts'
import { readFileSync, realpathSync } from 'node:fs'
import { access, constants, mkdir } from 'node:fs/promises'
import { sep } from 'node:path'

// Where the data lies decides how safe it is.

const networkTypes =
  /^(nfs4?|cifs|smb3?|smbfs|9p|afs|ncpfs|davfs|fuse\.(sshfs|rclone|davfs2?|gvfsd-fuse|s3fs))$/

const cloudFolders: readonly [RegExp, string][] = [
  // On macOS, in CloudStorage, it is OneDrive-Personal.
  [/^OneDrive( - .+|-.+)?$/i, 'OneDrive'],
  [/^Dropbox( \(.+\))?$/i, 'Dropbox'],
  [/^(Google ?Drive|GoogleDrive-.+|My Drive)$/i, 'Google Drive'],
  [/^(iCloud ?Drive|com~apple~CloudDocs)$/i, 'iCloud Drive'],
  [/^Nextcloud$/i, 'Nextcloud'],
  [/^ownCloud$/i, 'ownCloud'],
  [/^pCloud ?Drive$/i, 'pCloud'],
  [/^MEGA(sync)?( Downloads| Uploads)?$/, 'MEGA']
]

/**
 * Creates a directory for data if it is missing.
 * @throws Error with a sentence if it is not writable
 */
export async function requireWritable(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true })
    await access(directory, constants.W_OK)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    const rule = unwritableRules[code]
    if (!rule) throw error
    throw new ExplainedError(refusal('cannot_write', { directory, fault: refusal(rule) }), { cause: error })
  }
}

type UnwritableRule =
  | 'may_not_change_folder'
  | 'disk_read_only'
  | 'path_through_file'
  | 'file_with_this_name'
  | 'parent_folder_missing'

const unwritableRules: Record<string, UnwritableRule> = {
  EACCES: 'may_not_change_folder',
  EPERM: 'may_not_change_folder',
  EROFS: 'disk_read_only',
  ENOTDIR: 'path_through_file',
  EEXIST: 'file_with_this_name',
  // What Node says of a folder that cannot be made on a read-only disk, and of a drive that is gone.
  ENOENT: 'parent_folder_missing'
}

/**
 * Returns why a place is unsafe for data: network drives, whose locks are unreliable, and folders that a sync
 * program copies during changes.
 * @param mounts on Linux the content of /proc/self/mounts; else null
 */
export function unsafePlaces(directory: string, mounts: string | null = readMounts()): Refusal[] {
  const type = directory.startsWith('\\\\') ? 'a network share' : mountedType(directory, mounts)
  const cloud = directory
    .split(sep)
    .flatMap((part) => cloudFolders.filter(([name]) => name.test(part)).map(([, service]) => service))
    .at(-1)
  return [
    ...(type === null ? [] : [refusal('place_on_network', { folder: directory, system: type })]),
    ...(cloud === undefined ? [] : [refusal('place_copied', { program: cloud, folder: directory })])
  ]
}

/** Data that lies on another computer: the type of its file system; null for a disk of this one. */
function mountedType(directory: string, mounts: string | null): string | null {
  if (mounts === null) return null
  const at = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, point]) => point !== undefined && isWithin(directory, point.replaceAll('\\040', ' ')))
    .sort(([, a = ''], [, b = '']) => a.length - b.length)
    .at(-1)
  const type = at?.[2] ?? ''
  return networkTypes.test(type) ? type : null
}

function isWithin(directory: string, point: string): boolean {
  return point === '/' || directory === point || directory.startsWith(`${point}/`)
}

function readMounts(): string | null {
  return process.platform === 'linux' ? readFileSync('/proc/self/mounts', 'utf8') : null
}

/** The same of a directory that is there, wherever links lead. */
export function unsafePlacesOf(directory: string): Refusal[] {
  return unsafePlaces(realpathSync(directory))
}
