import { randomUUID } from 'node:crypto'
import { lstat, realpath, stat } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { systemOrganizationId } from '../api/organizations/rules.ts'
import { refusalOf, validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { checkUrl } from './address-guard.ts'
import { ImportFailure } from '../csv/failure.ts'
import { makeDirectory, writeDurably } from '../base/durable.ts'

/** Paths are relative to the data directory, so that it can be moved. */
export interface ImportSource {
  type: 'json' | 'upload_directory' | 'url'
  /** The name to show; "data" for json (docs/api.md, "Subscriber imports"), '' for url. */
  filename: string
  path: string
  url: string | null
}

/** Stores the CSV text of a json import until it has been read. */
export async function storeContent(
  dataDirectory: string,
  content: string | Uint8Array
): Promise<ImportSource> {
  const path = join('imports', 'sources', `${randomUUID()}.csv`)
  await makeDirectory(join(dataDirectory, sourceDirectory))
  await writeDurably(join(dataDirectory, path), content)
  return { type: 'json', filename: 'data', path, url: null }
}

/** The files that are kept for imports only, relative to the data directory. */
export const sourceDirectory = join('imports', 'sources')

/**
 * A file that is downloaded when the import begins.
 * @throws ApiError validation_failed for an address that will not do
 */
export function downloadFrom(url: string, allowsPrivate: boolean): ImportSource {
  try {
    checkUrl(url, allowsPrivate)
  } catch (error) {
    throw validationFailed(refusal('url', { field: 'file_source.url', fault: refusalOf(error) }))
  }
  return { type: 'url', filename: '', path: join('imports', 'sources', `${randomUUID()}.csv`), url }
}

/**
 * Returns the size and modification time of a file, to detect another one.
 * @throws ImportFailure if it is missing
 */
export async function fingerprintOf(path: string): Promise<string> {
  try {
    const { size, mtimeMs } = await stat(path)
    return `${size}:${Math.round(mtimeMs)}`
  } catch {
    throw new ImportFailure(refusal('file_missing'))
  }
}

/** Returns where an import stores the unpacked content of a compressed file. */
export function unpackedPath(dataDirectory: string, importId: number): string {
  return join(dataDirectory, 'imports', 'sources', `${importId}-unpacked.csv`)
}

/**
 * Returns where an organization puts files to import: the System Organization directly in uploads/, others in
 * a subfolder.
 */
export function uploadDirectoryOf(dataDirectory: string, organizationId: number): string {
  const all = join(dataDirectory, 'uploads')
  return organizationId === systemOrganizationId ? all : join(all, `organization-${organizationId}`)
}

/**
 * Finds a file of the organization's upload directory.
 * @throws ApiError validation_failed for anything but a regular file directly in it
 */
export async function findUpload(
  dataDirectory: string,
  organizationId: number,
  filename: string
): Promise<ImportSource> {
  const uploadDirectory = uploadDirectoryOf(dataDirectory, organizationId)
  if (filename !== basename(filename) || filename.includes('\\') || filename === '.' || filename === '..') {
    throw validationFailed(refusal('upload_without_folders', { field: 'file_source.filename' }))
  }
  const path = join(uploadDirectory, filename)
  const info = await lstat(path).catch(() => null)
  if (!info) throw validationFailed(refusal('no_upload', { field: 'file_source.filename', filename }))
  const real = await realpath(path)
  if (!info.isFile() || relative(await realpath(uploadDirectory), real).startsWith(`..${sep}`)) {
    throw validationFailed(refusal('no_regular_file', { field: 'file_source.filename', filename }))
  }
  return { type: 'upload_directory', filename, path: relative(dataDirectory, path), url: null }
}
