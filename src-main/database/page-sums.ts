import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync
} from 'node:fs'
import { crc32 } from 'node:zlib'
import { writeDurably } from '../base/durable.ts'

// SQLite believes what the disk gives it. Beside the database lies a checksum of each of its pages, noted before the page is
// written, so that what was changed by anything but Listwright is found before it spreads.

/** Pages of the database with their checksums, as they are noted together. */
export interface PageBatch {
  /** Bytes of a page. */
  pageSize: number
  /** Pages that the database has then. */
  pages: number
  /** CRC-32 of each page that is written, by its number from 1 on. */
  sums: ReadonlyMap<number, number>
}

/** The stored checksums of a whole database. */
export interface PageSums {
  pageSize: number
  pages: number
  /** By page number minus one. Large databases have millions. */
  sums: Uint32Array
  /** 1 where a sum was noted. */
  isNoted: Uint8Array
}

export interface FoundSums extends PageSums {
  /** Bytes of the notes that could be read: what follows was cut off. */
  length: number
}

const magic = 0x4c575053
/** Stands in the place of checksums that are not known. */
const givenUp = 'not noted\n'
const headerLength = 16
const entryLength = 8

export function sumsPath(databasePath: string): string {
  return `${databasePath}-sums`
}

/**
 * Appends checksums; they are durable on return, and nothing is left of them after an error. Only a database
 * with stored checksums gets more; others are noted as a whole when examined.
 */
export function appendSums(databasePath: string, { pageSize, pages, sums }: PageBatch): void {
  const path = sumsPath(databasePath)
  if (!existsSync(path)) return
  // On Windows a file opened for appending cannot be truncated.
  const file = openSync(path, 'r+')
  const { size } = fstatSync(file)
  try {
    if (size <= givenUp.length) return
    const bytes = encode(pageSize, pages, sums.size, sums)
    for (let written = 0; written < bytes.length;)
      written += writeSync(file, bytes, written, null, size + written)
    fsyncSync(file)
  } catch (error) {
    ftruncateSync(file, size)
    throw error
  } finally {
    closeSync(file)
  }
}

/** Marks the checksums as unknown: the next start accepts the pages as they are. */
export function markSumsUnknown(databasePath: string): void {
  writeFileSync(sumsPath(databasePath), givenUp, { flush: true })
}

/** Replaces the stored checksums of a whole database. */
export async function replaceSums(databasePath: string, noted: PageSums): Promise<void> {
  const path = sumsPath(databasePath)
  const { pageSize, pages, isNoted } = noted
  const known = isNoted.subarray(0, pages).reduce((sum, each) => sum + each, 0)
  await writeDurably(path, encode(pageSize, pages, known, entriesOf(noted)))
}

function* entriesOf({ pages, sums, isNoted }: PageSums): Generator<[number, number]> {
  for (let index = 0; index < pages; index++) if (isNoted[index] === 1) yield [index + 1, sums[index] ?? 0]
}

/**
 * Reads the stored checksums. An incomplete batch at the end is ignored: its pages were not written yet.
 * @returns "nothing" if there are none; "damaged" if they are unreadable
 */
export function readSums(databasePath: string): FoundSums | 'nothing' | 'damaged' {
  const path = sumsPath(databasePath)
  if (!existsSync(path)) return 'nothing'
  const bytes = readFileSync(path)
  if (bytes.equals(Buffer.from(givenUp))) return 'nothing'
  const batches = batchesOf(bytes)
  // The first batch is written to another file and renamed, so it is complete.
  const last = batches === 'damaged' ? undefined : batches.at(-1)
  if (batches === 'damaged' || last === undefined) return 'damaged'
  const pageSize = bytes.readUInt32LE(last.at + 8)
  const pages = bytes.readUInt32LE(last.at + 12)
  const [sums, isNoted] = [new Uint32Array(pages), new Uint8Array(pages)]
  for (const { at, end } of batches) {
    for (let entry = at + headerLength; entry < end; entry += entryLength) {
      const index = bytes.readUInt32LE(entry) - 1
      // The database was larger when this was written.
      if (index >= pages) continue
      sums[index] = bytes.readUInt32LE(entry + 4)
      isNoted[index] = 1
    }
  }
  return { pageSize, pages, sums, isNoted, length: last.end + 4 }
}

function batchesOf(bytes: Buffer): { at: number; end: number }[] | 'damaged' {
  const batches: { at: number; end: number }[] = []
  for (let at = 0; at + headerLength <= bytes.length;) {
    const end = endOfBatch(bytes, at)
    if (end === null) {
      // Only the last batch can be incomplete: cut off, or written without its content when the power failed.
      for (let next = at + 4; next + headerLength <= bytes.length; next += 4)
        if (endOfBatch(bytes, next) !== null) return 'damaged'
      break
    }
    batches.push({ at, end })
    at = end + 4
  }
  return batches
}

/** @returns where the checksum of a batch stands; null where no whole one begins there */
function endOfBatch(bytes: Buffer, at: number): number | null {
  if (bytes.readUInt32LE(at) !== magic) return null
  const end = at + headerLength + bytes.readUInt32LE(at + 4) * entryLength
  if (end + 4 > bytes.length) return null
  return crc32(bytes.subarray(at, end)) === bytes.readUInt32LE(end) ? end : null
}

function encode(
  pageSize: number,
  pages: number,
  entries: number,
  sums: Iterable<readonly [number, number]>
): Buffer {
  const length = headerLength + entries * entryLength
  const bytes = Buffer.alloc(length + 4)
  for (const [index, value] of [magic, entries, pageSize, pages].entries())
    bytes.writeUInt32LE(value, index * 4)
  let at = headerLength
  for (const [page, sum] of sums) {
    bytes.writeUInt32LE(page, at)
    bytes.writeUInt32LE(sum, at + 4)
    at += entryLength
  }
  bytes.writeUInt32LE(crc32(bytes.subarray(0, length)), length)
  return bytes
}
