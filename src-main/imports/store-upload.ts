import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { basename, extname, join, relative } from 'node:path'
import { makeDirectory, moveDurably } from '../base/durable.ts'
import { digestOf } from '../base/file-content.ts'
import type { CommandClient } from '../database/writer.ts'
import { partialUpload } from './left-files.ts'
import { uploadDirectoryOf } from './source.ts'

export interface UploadDirectory {
  writer: Pick<CommandClient, 'run'>
  dataDirectory: string
  organizationId: number
}

/**
 * Writes a file into an upload directory under its final name once it is complete. Nothing is left of a
 * failed one; old uploads are deleted.
 * @returns the file name, with a number if another file has the same name
 */
export async function storeUpload(
  { writer, dataDirectory, organizationId }: UploadDirectory,
  wanted: string,
  write: (path: string) => Promise<void>
): Promise<string> {
  const directory = uploadDirectoryOf(dataDirectory, organizationId)
  await makeDirectory(directory)
  const temporary = join(directory, `${partialUpload}${randomUUID()}`)
  try {
    await write(temporary)
    const same = join(directory, plainName(wanted))
    const path = (await haveSameContent(same, temporary))
      ? same
      : await moveDurably(temporary, () => join(directory, freeName(directory, wanted)))
    await rm(temporary, { force: true })
    await writer.run('uploadCopies.note', { path: relative(dataDirectory, path) })
    return basename(path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** True if a file equals the uploaded copy: a file chosen twice keeps its name. */
async function haveSameContent(path: string, copy: string): Promise<boolean> {
  const [there, copied] = await Promise.all([stat(path).catch(() => null), stat(copy)])
  if (!there?.isFile() || there.size !== copied.size) return false
  return (await digestOf(path)).equals(await digestOf(copy))
}

/** File systems take names of 255 bytes; some are left for a number. */
const [maxStemBytes, maxExtensionBytes] = [200, 40]

/** Returns the longest beginning of a text that takes at most `bytes` bytes in UTF-8. */
function cut(text: string, bytes: number): string {
  let end = text.length
  while (Buffer.byteLength(text.slice(0, end)) > bytes) end--
  return text.slice(0, end).toWellFormed()
}

/** The name that is wanted, without what no file system takes. */
function plainName(wanted: string): string {
  // Control characters do not belong in a file name, and NUL is not allowed in one.
  const name =
    basename(wanted.replaceAll('\\', '/'))
      .replaceAll(/\p{Cc}/gu, '')
      .replace(/^\.+/, '') || 'upload.csv'
  const extension = cut(extname(name), maxExtensionBytes)
  return cut(name.slice(0, name.length - extname(name).length), maxStemBytes) + extension
}

function freeName(directory: string, wanted: string): string {
  const name = plainName(wanted)
  const extension = extname(name)
  const stem = name.slice(0, name.length - extension.length)
  let free = name
  for (let number = 2; existsSync(join(directory, free)); number++) free = `${stem} (${number})${extension}`
  return free
}
