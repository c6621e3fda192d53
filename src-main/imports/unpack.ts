import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGunzip } from 'node:zlib'
import { type Entry, open as openZip, type Options, type ZipFile } from 'yauzl'
import { messageOf } from '../errors.ts'
import { ImportFailure } from './failure.ts'

const gzip = Buffer.from([0x1f, 0x8b])
const zip = Buffer.from('PK\x03\x04')
const openArchive = promisify<string, Options, ZipFile>(openZip)

/**
 * The bytes of a file, unpacked when it is compressed; its content tells, not its name.
 * @returns null for a file that is not compressed
 * @throws ImportFailure for an archive that does not hold exactly one CSV file
 */
export async function unpackedBytes(path: string): Promise<Readable | null> {
  const beginning = await readBeginning(path)
  if (beginning.subarray(0, 2).equals(gzip)) return gunzip(path)
  return beginning.equals(zip) ? onlyFileIn(path) : null
}

/**
 * Writes what a compressed file holds to `target`.
 * @returns the file to read: `target`, or `path` itself when it is not compressed
 * @throws ImportFailure as unpackedBytes, and for an archive that is broken
 */
export async function unpack(path: string, target: string, signal: AbortSignal): Promise<string> {
  const bytes = await unpackedBytes(path)
  if (!bytes) return path
  await mkdir(dirname(target), { recursive: true })
  try {
    await pipeline(bytes, createWriteStream(target), { signal })
  } catch (error) {
    signal.throwIfAborted()
    throw asFailure(error)
  }
  return target
}

/** What unpacking threw, as a sentence for the owner of the file. */
export function asFailure(error: unknown): ImportFailure {
  if (error instanceof ImportFailure) return error
  return new ImportFailure(`the compressed file cannot be unpacked: ${messageOf(error)}`)
}

async function readBeginning(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(zip.length), 0, zip.length, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

function gunzip(path: string): Readable {
  const unzipped = createGunzip()
  createReadStream(path)
    .on('error', (error) => unzipped.destroy(error))
    .pipe(unzipped)
  return unzipped
}

async function onlyFileIn(path: string): Promise<Readable> {
  const archive = await openArchive(path, { lazyEntries: true, autoClose: false }).catch(() => {
    throw new ImportFailure(
      'this is a spreadsheet or a zip archive that is broken, not a CSV file. In the spreadsheet, save it as CSV',
      1
    )
  })
  try {
    const files = (await entriesOf(archive)).filter(
      ({ fileName }) => !fileName.endsWith('/') && !fileName.startsWith('__MACOSX/')
    )
    if (files.some(({ fileName }) => fileName === '[Content_Types].xml')) {
      throw new ImportFailure('this is a spreadsheet, not a CSV file. In the spreadsheet, save it as CSV', 1)
    }
    const [only, ...others] = files
    if (!only || others.length > 0) {
      throw new ImportFailure(`the zip archive holds ${files.length} files, and an import needs exactly one`)
    }
    const bytes = await promisify<Entry, Readable>(archive.openReadStream.bind(archive))(only)
    bytes.once('close', () => archive.close())
    return bytes
  } catch (error) {
    archive.close()
    throw asFailure(error)
  }
}

/** More files than this are not one CSV file; the rest of the directory is not read. */
const mostEntries = 1000

function entriesOf(archive: ZipFile): Promise<Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = []
    archive.on('error', reject)
    archive.on('end', () => resolve(entries))
    archive.on('entry', (entry: Entry) => {
      entries.push(entry)
      if (entries.length >= mostEntries) resolve(entries)
      else archive.readEntry()
    })
    archive.readEntry()
  })
}
