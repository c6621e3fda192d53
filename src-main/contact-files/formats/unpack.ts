import { refusal } from '../../base/refusal.ts'
import { createReadStream, createWriteStream, type StatsFs, statfsSync } from 'node:fs'
import { mkdir, rm, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline as pipe, type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { crc32, createGunzip } from 'node:zlib'
import { type Entry, open as openZip, type Options, type ZipFile } from 'yauzl'
import { messageOf, StorageFault, storageFaultOf } from '../../base/errors.ts'
import { beginningOf } from '../../base/file-content.ts'
import { ImportFailure } from '../../csv/failure.ts'

const gzip = Buffer.from([0x1f, 0x8b])
const zip = Buffer.from('PK\x03\x04')
const openArchive = promisify<string, Options, ZipFile>(openZip)

/**
 * Returns the bytes of a file, unpacked if its content is compressed.
 * @returns null for an uncompressed file
 * @throws ImportFailure for an archive that does not contain exactly one CSV file
 */
export async function unpackedBytes(path: string): Promise<Readable | null> {
  const beginning = await beginningOf(path, zip.length)
  if (beginning.subarray(0, 2).equals(gzip)) return gunzip(path)
  return beginning.equals(zip) ? onlyFileIn(path) : null
}

const maxUnpackedBytes = 20 * 1024 ** 3
/** Bytes between two checks of the free space. */
const bytesPerLook = 16 * 1024 ** 2
/** The space to leave free: a twentieth of the disk, at most this. */
const maxMarginBytes = 256 * 1024 ** 2

function isFull({ bavail, blocks, bsize }: StatsFs): boolean {
  return bavail * bsize < Math.min(maxMarginBytes, (blocks * bsize) / 20)
}

/** @throws StorageFault if no more than the margin is left */
export function requireSpace(directory: string): void {
  if (isFull(statfsSync(directory))) throw new StorageFault('full')
}

/** Limits unpacked bytes to the maximal file size and the free space. */
function limitedFor(directory: string): Transform {
  let written = 0
  let looked = -bytesPerLook
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      written += chunk.length
      if (written > maxUnpackedBytes) {
        return done(new ImportFailure(refusal('unpacks_too_large')))
      }
      if (written - looked < bytesPerLook) return done(null, chunk)
      looked = written
      statfs(directory).then((disk) => done(isFull(disk) ? new StorageFault('full') : null, chunk), done)
    }
  })
}

/**
 * Unpacks a compressed file to `target`.
 * @returns the file to read: `target`, or `path` if it is not compressed
 * @throws ImportFailure as unpackedBytes, and for a broken or too large archive
 */
export async function unpackFile(path: string, target: string, signal: AbortSignal): Promise<string> {
  await mkdir(dirname(target), { recursive: true })
  const bytes = await unpackedBytes(path)
  if (!bytes) return path
  // No await before this: the stream may fail before anyone reads it.
  await write(bytes, target, signal)
  return target
}

/** @throws as {@link unpackFile}, after deleting what was written: recording the fault needs the space */
async function write(bytes: Readable, target: string, signal: AbortSignal): Promise<void> {
  try {
    await pipeline(bytes, limitedFor(dirname(target)), createWriteStream(target), { signal })
  } catch (error) {
    await rm(target, { force: true })
    throw asFailure(error)
  }
}

export function asFailure(error: unknown): ImportFailure | StorageFault {
  if (error instanceof ImportFailure) return error
  const storage = storageFaultOf(error)
  if (storage) return storage
  return new ImportFailure(refusal('cannot_unpack', { fault: messageOf(error) }))
}

/**
 * Unpacks an entry of an archive to `target`.
 * @throws as {@link unpackFile}, and ImportFailure if the entry is missing
 */
export async function unpackEntry(
  path: string,
  name: string,
  target: string,
  signal: AbortSignal
): Promise<void> {
  await mkdir(dirname(target), { recursive: true })
  const bytes = await entryStream(path, name)
  if (!bytes) throw new ImportFailure(refusal('archive_lacks_file', { name }))
  await write(bytes, target, signal)
}

/**
 * Returns the content of an archive's entry, or null.
 * @throws ImportFailure for a broken archive
 */
export async function entryStream(path: string, name: string): Promise<Readable | null> {
  const archive = await openAnyArchive(path)
  try {
    const entry = (await entriesOf(archive, maxParts)).find(({ fileName }) => fileName === name)
    if (!entry) {
      archive.close()
      return null
    }
    if (entry.uncompressedSize > maxPartBytes) {
      throw new ImportFailure(refusal('archive_part_too_large', { name }))
    }
    const bytes = await promisify<Entry, Readable>(archive.openReadStream.bind(archive))(entry)
    bytes.once('close', () => archive.close())
    // The reader of the stream gets the error, so this callback ignores it.
    return pipe(bytes, checkedAgainst(entry), () => undefined)
  } catch (error) {
    archive.close()
    throw asFailure(error)
  }
}

/** Fails at the end if the checksum of the bytes is wrong. */
function checkedAgainst({ crc32: wanted, fileName }: Entry): Transform {
  let sum = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sum = crc32(chunk, sum)
      done(null, chunk)
    },
    flush(done) {
      done(sum === wanted ? null : new ImportFailure(refusal('archive_part_damaged', { name: fileName })))
    }
  })
}

/**
 * Returns the file names of a zip archive; null if it is none.
 * @throws ImportFailure for a broken one
 */
export async function archiveNames(path: string): Promise<string[] | null> {
  if (!(await beginningOf(path, zip.length)).equals(zip)) return null
  const archive = await openAnyArchive(path)
  try {
    return (await entriesOf(archive, maxParts)).map(({ fileName }) => fileName)
  } catch (error) {
    throw asFailure(error)
  } finally {
    archive.close()
  }
}

function openAnyArchive(path: string): Promise<ZipFile> {
  return openArchive(path, { lazyEntries: true, autoClose: false }).catch(() => {
    throw new ImportFailure(refusal('broken_archive'))
  })
}

export async function isCompressed(path: string): Promise<boolean> {
  return (await beginningOf(path, gzip.length)).equals(gzip)
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
    throw new ImportFailure(refusal('broken_archive_not_csv'), 1)
  })
  try {
    const files = (await entriesOf(archive)).filter(
      ({ fileName }) => !fileName.endsWith('/') && !fileName.startsWith('__MACOSX/')
    )
    if (files.some(({ fileName }) => fileName === '[Content_Types].xml')) {
      throw new ImportFailure(refusal('spreadsheet_not_csv'), 1)
    }
    const [only, ...others] = files
    if (!only || others.length > 0) {
      const count = files.length < maxEntries ? files.length : `${maxEntries} or more`
      throw new ImportFailure(refusal('archive_of_several', { count }))
    }
    const bytes = await promisify<Entry, Readable>(archive.openReadStream.bind(archive))(only)
    bytes.once('close', () => archive.close())
    return bytes
  } catch (error) {
    archive.close()
    throw asFailure(error)
  }
}

const maxParts = 100_000
/** Limit of a sheet in bytes, beyond what spreadsheet programs write. */
const maxPartBytes = 8 * 1024 ** 3

/** An archive with more files is not a contact file; its directory is not read further. */
const maxEntries = 1000

function entriesOf(archive: ZipFile, most = maxEntries): Promise<Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = []
    archive.on('error', reject)
    archive.on('end', () => resolve(entries))
    archive.on('entry', (entry: Entry) => {
      entries.push(entry)
      if (entries.length >= most) resolve(entries)
      else archive.readEntry()
    })
    archive.readEntry()
  })
}
