import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeFileSync
} from 'node:fs'
import { crc32 } from 'node:zlib'
import { moveDurably, writeDurably } from '../base/durable.ts'

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

/** What was noted of a whole database. */
export interface PageSums {
  pageSize: number
  pages: number
  /** By page number minus one; undefined where nothing was noted. */
  sums: readonly (number | undefined)[]
}

/** As they were found. */
export interface FoundSums extends PageSums {
  /** Bytes of the notes that could be read: what follows was cut off. */
  length: number
}

const magic = 0x4c575053
const headerLength = 16
const entryLength = 8

/** Where the checksums of a database lie. */
export function sumsPath(databasePath: string): string {
  return `${databasePath}-sums`
}

/** Notes checksums; they are on disk when this returns, and where it throws nothing of them is left. */
export function appendSums(databasePath: string, batch: PageBatch): void {
  const file = openSync(sumsPath(databasePath), 'a')
  const { size } = fstatSync(file)
  try {
    writeFileSync(file, encode(batch))
    fsyncSync(file)
  } catch (error) {
    ftruncateSync(file, size)
    throw error
  } finally {
    closeSync(file)
  }
}

/** Notes the checksums of a whole database in the place of what was noted before. */
export async function replaceSums(databasePath: string, { pageSize, pages, sums }: PageSums): Promise<void> {
  const known = sums
    .slice(0, pages)
    .flatMap((sum, index) => (sum === undefined ? [] : [[index + 1, sum] as const]))
  const path = sumsPath(databasePath)
  await writeDurably(`${path}.part`, encode({ pageSize, pages, sums: new Map(known) }))
  await moveDurably(`${path}.part`, () => path)
}

/**
 * Reads what was noted. A batch that was cut off at the end is left out: the pages were not written yet.
 * @returns null where nothing was noted, or it cannot be read any more
 */
export function readSums(databasePath: string): FoundSums | null {
  const path = sumsPath(databasePath)
  if (!existsSync(path)) return null
  const bytes = readFileSync(path)
  const sums: (number | undefined)[] = []
  let last: Pick<FoundSums, 'pageSize' | 'pages' | 'length'> | null = null
  for (let at = 0; at + headerLength <= bytes.length;) {
    if (bytes.readUInt32LE(at) !== magic) return null
    const length = headerLength + bytes.readUInt32LE(at + 4) * entryLength
    if (at + length + 4 > bytes.length) break
    if (crc32(bytes.subarray(at, at + length)) !== bytes.readUInt32LE(at + length)) {
      // Only the last one can have been cut off.
      if (at + length + 4 < bytes.length) return null
      break
    }
    for (let entry = at + headerLength; entry < at + length; entry += entryLength)
      sums[bytes.readUInt32LE(entry) - 1] = bytes.readUInt32LE(entry + 4)
    last = {
      pageSize: bytes.readUInt32LE(at + 8),
      pages: bytes.readUInt32LE(at + 12),
      length: at + length + 4
    }
    at = last.length
  }
  return last && { ...last, sums }
}

function encode({ pageSize, pages, sums }: PageBatch): Buffer {
  const length = headerLength + sums.size * entryLength
  const bytes = Buffer.alloc(length + 4)
  for (const [index, value] of [magic, sums.size, pageSize, pages].entries())
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
