import { closeSync, existsSync, fsyncSync, openSync, readSync, statSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { PageBatch } from './page-sums.ts'

// The format of the log is SQLite's, and does not change: https://sqlite.org/fileformat2.html#the_write_ahead_log

const headerLength = 32
/** The first bytes of a log; the last bit gives the byte order of its checksums. */
const magic = 0x377f0682
const version = 3007000
const frameHeaderLength = 24
/** Frames that are read at once: a megabyte, with pages of 4 KB. */
const framesAtOnce = 256

interface Frame {
  page: number
  /** Pages of the database after the transaction that the frame ends; 0 within one. */
  pagesAfter: number
  salts: bigint
  /** The header of the frame. */
  head: Buffer
  content: Buffer
}

/**
 * The pages that a part of the log would bring into the database.
 * @param after frames before it, and the last frame of it, which ends a transaction
 * @returns null where the log is not in its place any more
 */
export function pagesInLog(databasePath: string, after: number, last: number): PageBatch | null {
  const log = openLog(databasePath)
  if (!log) return null
  try {
    // The log must be durable before its checksums are stored.
    fsyncSync(log.file)
    const sums = new Map<number, number>()
    let pages = 0
    let frames = 0
    for (const { page, pagesAfter, content } of framesOf(log, after, last)) {
      sums.set(page, crc32(content))
      if (pagesAfter > 0) pages = pagesAfter
      frames++
    }
    return frames < last - after || pages === 0 ? null : { pageSize: log.pageSize, pages, sums }
  } finally {
    closeSync(log.file)
  }
}

/**
 * A position in the log: its salts, whose first 32 bits count its restarts, and the number of frames before
 * it.
 */
export interface LogPosition {
  salts: bigint
  frames: number
}

/**
 * The content of a log that SQLite reads: up to the first incomplete frame, and to the end of a transaction.
 */
export interface LogContent {
  /** null = there is no log. */
  end: LogPosition | null
  /** The pages that are read from it and not from the database, by their numbers: where their content stands, in bytes. */
  pages: ReadonlyMap<number, number>
}

export function contentOfLog(databasePath: string): LogContent {
  const pages = new Map<number, number>()
  const log = openLog(databasePath)
  if (!log) return { end: null, pages }
  try {
    let [open, frames, whole] = [[] as [number, number][], 0, 0]
    let sum = log.sum
    for (const { page, pagesAfter, salts, head, content } of framesOf(log, 0, Infinity)) {
      sum = sumOf(log, content, sumOf(log, head.subarray(0, 8), sum))
      const isWhole = head.readUInt32BE(16) === sum[0] && head.readUInt32BE(20) === sum[1]
      // What follows is older than the last restart of the log, or was cut off.
      if (salts !== log.salts || !isWhole) break
      open.push([page, contentAt(log, frames)])
      frames++
      if (pagesAfter === 0) continue
      for (const [each, at] of open) pages.set(each, at)
      open = []
      whole = frames
    }
    return { end: { salts: log.salts, frames: whole }, pages }
  } finally {
    closeSync(log.file)
  }
}

export function syncLog(databasePath: string): void {
  const log = openLog(databasePath)
  if (!log) return
  try {
    fsyncSync(log.file)
  } finally {
    closeSync(log.file)
  }
}

/** The current salts of the log; null if there is no log. */
export function saltsOfLog(databasePath: string): bigint | null {
  const log = openLog(databasePath)
  if (!log) return null
  closeSync(log.file)
  return log.salts
}

interface Log {
  file: number
  pageSize: number
  salts: bigint
  /** True if checksums use big-endian words. */
  isBigEndian: boolean
  /** The checksum of its header, from which those of the frames continue. */
  sum: readonly [number, number]
}

/** The checksum of some bytes, a multiple of 8, that follow others. */
function sumOf(
  { isBigEndian }: Pick<Log, 'isBigEndian'>,
  bytes: Buffer,
  [first, second]: readonly [number, number]
): [number, number] {
  const word = (at: number): number => (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at))
  let [a, b] = [first, second]
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + word(at) + b) >>> 0
    b = (b + word(at + 4) + a) >>> 0
  }
  return [a, b]
}

/** @returns null where there is no log, or one of which SQLite reads nothing, since its header is not whole */
function openLog(databasePath: string): Log | null {
  const path = `${databasePath}-wal`
  if (!existsSync(path) || statSync(path).size < headerLength) return null
  // On Windows only a file opened for writing can be synced.
  const file = openSync(path, 'r+')
  try {
    const header = Buffer.alloc(headerLength)
    readSync(file, header, 0, headerLength, 0)
    const isBigEndian = (header.readUInt32BE(0) & 1) === 1
    const sum = [header.readUInt32BE(24), header.readUInt32BE(28)] as const
    const [first, second] = sumOf({ isBigEndian }, header.subarray(0, 24), [0, 0])
    const isKnown = header.readUInt32BE(0) >>> 1 === magic >>> 1 && header.readUInt32BE(4) === version
    if (isKnown && first === sum[0] && second === sum[1])
      return {
        file,
        pageSize: header.readUInt32BE(8),
        salts: header.readBigUInt64BE(16),
        isBigEndian,
        sum
      }
  } catch (error) {
    closeSync(file)
    throw error
  }
  closeSync(file)
  return null
}

/**
 * Returns where the content of a page is in the file.
 * @param frame from 0
 */
function contentAt({ pageSize }: Log, frame: number): number {
  return headerLength + frame * (frameHeaderLength + pageSize) + frameHeaderLength
}

function* framesOf({ file, pageSize }: Log, after: number, last: number): Generator<Frame> {
  const length = frameHeaderLength + pageSize
  const buffer = Buffer.alloc(length * framesAtOnce)
  for (let frame = after; frame < last;) {
    const wanted = Math.min(framesAtOnce, last - frame) * length
    const read = readSync(file, buffer, 0, wanted, headerLength + frame * length)
    for (let at = 0; at + length <= read; at += length, frame++) {
      yield {
        page: buffer.readUInt32BE(at),
        pagesAfter: buffer.readUInt32BE(at + 4),
        salts: buffer.readBigUInt64BE(at + 8),
        head: buffer.subarray(at, at + frameHeaderLength),
        content: buffer.subarray(at + frameHeaderLength, at + length)
      }
    }
    if (read < wanted) return
  }
}
