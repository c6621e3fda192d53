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
 * The bytes of a file, unpacked when it is compressed; its content tells, not its name.
 * @returns null for a file that is not compressed
 * @throws ImportFailure for an archive that does not hold exactly one CSV file
 */
export async function unpackedBytes(path: string): Promise<Readable | null> {
  const beginning = await beginningOf(path, zip.length)
  if (beginning.subarray(0, 2).equals(gzip)) return gunzip(path)
  return beginning.equals(zip) ? onlyFileIn(path) : null
}

/** Bytes that a compressed file may hold: ten times the largest file that people import. */
const maxUnpackedBytes = 20 * 1024 ** 3
/** Free space is looked at each time so many bytes were written. */
const bytesPerLook = 16 * 1024 ** 2
/** What is left free for everything else: a twentieth of the disk, and no more than this. */
const maxMarginBytes = 256 * 1024 ** 2

function isFull({ bavail, blocks, bsize }: StatsFs): boolean {
  return bavail * bsize < Math.min(maxMarginBytes, (blocks * bsize) / 20)
}

/** @throws StorageFault where no more than the margin is left */
export function requireSpace(directory: string): void {
  if (isFull(statfsSync(directory))) throw new StorageFault('full')
}

/** Lets bytes through as long as a file may hold them and the disk has room for more than them. */
function limitedFor(directory: string): Transform {
  let written = 0
  let looked = -bytesPerLook
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      written += chunk.length
      if (written > maxUnpackedBytes) {
        return done(
          new ImportFailure(
            'the compressed file unpacks to more than 20 GB, the most that can be imported. Split it into smaller files'
          )
        )
      }
      if (written - looked < bytesPerLook) return done(null, chunk)
      looked = written
      statfs(directory).then((disk) => done(isFull(disk) ? new StorageFault('full') : null, chunk), done)
    }
  })
}

/**
 * Writes what a compressed file holds to `target`.
 * @returns the file to read: `target`, or `path` itself when it is not compressed
 * @throws ImportFailure as unpackedBytes, and for an archive that is broken or holds too much; StorageFault on a full disk
 */
export async function unpack(path: string, target: string, signal: AbortSignal): Promise<string> {
  await mkdir(dirname(target), { recursive: true })
  const bytes = await unpackedBytes(path)
  if (!bytes) return path
  // Nothing is waited for in between: a stream may fail before it is read.
  await write(bytes, target, signal)
  return target
}

/** @throws as {@link unpack}, once what was written is gone: it is of no use, and takes the space that noting a fault needs */
async function write(bytes: Readable, target: string, signal: AbortSignal): Promise<void> {
  try {
    await pipeline(bytes, limitedFor(dirname(target)), createWriteStream(target), { signal })
  } catch (error) {
    await rm(target, { force: true })
    throw asFailure(error)
  }
}

/** What unpacking threw: a fault of the storage, or a sentence for the owner of the file. */
export function asFailure(error: unknown): ImportFailure | StorageFault {
  if (error instanceof ImportFailure) return error
  const storage = storageFaultOf(error)
  if (storage) return storage
  return new ImportFailure(`the compressed file cannot be unpacked: ${messageOf(error)}`)
}

/** Writes a file of an archive to `target`. @throws as {@link unpack}, and ImportFailure where there is no such file */
export async function unpackEntry(
  path: string,
  name: string,
  target: string,
  signal: AbortSignal
): Promise<void> {
  await mkdir(dirname(target), { recursive: true })
  const bytes = await entryStream(path, name)
  if (!bytes) throw new ImportFailure(`the archive holds no file ${name}`)
  await write(bytes, target, signal)
}

/** What a file of an archive holds; null where there is no such file. @throws ImportFailure for a broken archive */
export async function entryStream(path: string, name: string): Promise<Readable | null> {
  const archive = await openAnyArchive(path)
  try {
    const entry = (await entriesOf(archive, maxParts)).find(({ fileName }) => fileName === name)
    if (!entry) {
      archive.close()
      return null
    }
    if (entry.uncompressedSize > maxPartBytes) {
      throw new ImportFailure(`${name} in the archive unpacks to more than 8 GB. Split it into smaller files`)
    }
    const bytes = await promisify<Entry, Readable>(archive.openReadStream.bind(archive))(entry)
    bytes.once('close', () => archive.close())
    // The reader of the stream gets the error, so the callback has nothing to do.
    return pipe(bytes, checkedAgainst(entry), () => undefined)
  } catch (error) {
    archive.close()
    throw asFailure(error)
  }
}

/** Lets bytes through, and fails at their end if they are not those that were packed. */
function checkedAgainst({ crc32: wanted, fileName }: Entry): Transform {
  let sum = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sum = crc32(chunk, sum)
      done(null, chunk)
    },
    flush(done) {
      done(sum === wanted ? null : new ImportFailure(`${fileName} in the archive is damaged`))
    }
  })
}

/** The names of the files in a zip archive; null for a file that is none. @throws ImportFailure for a broken one */
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
    throw new ImportFailure('this is a broken spreadsheet or zip archive')
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
    throw new ImportFailure(
      'this is a spreadsheet or a broken zip archive, not a CSV file. If it is a spreadsheet, save it as CSV',
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
      const count = files.length < maxEntries ? files.length : `${maxEntries} or more`
      throw new ImportFailure(`the zip archive holds ${count} files, and an import needs exactly one`)
    }
    const bytes = await promisify<Entry, Readable>(archive.openReadStream.bind(archive))(only)
    bytes.once('close', () => archive.close())
    return bytes
  } catch (error) {
    archive.close()
    throw asFailure(error)
  }
}

/** Parts of a workbook, which may have many pictures. */
const maxParts = 100_000
/** Bytes of the largest sheet that a spreadsheet program writes, and more. */
const maxPartBytes = 8 * 1024 ** 3

/** More files than this are not one CSV file; the rest of the directory is not read. */
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
