import { closeSync, existsSync, fsyncSync, openSync, readSync, statSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { PageBatch } from './page-sums.ts'

// The format of the log is SQLite's, and does not change: https://sqlite.org/fileformat2.html#the_write_ahead_log

const headerLength = 32
const frameHeaderLength = 24
/** Frames that are read at once: a megabyte, with pages of 4 KB. */
const framesAtOnce = 256

interface Frame {
  page: number
  /** Pages of the database after the transaction that the frame ends; 0 within one. */
  pagesAfter: number
  salts: bigint
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
    // What is noted of it must not outlast it when the power fails.
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

/** The numbers of the pages that SQLite reads from the log and not from the database. */
export function pageNumbersInLog(databasePath: string): Set<number> {
  const found = new Set<number>()
  const log = openLog(databasePath)
  if (!log) return found
  try {
    let open: number[] = []
    for (const { page, pagesAfter, salts } of framesOf(log, 0, Infinity)) {
      // What follows is left from before the log began anew.
      if (salts !== log.salts) break
      open.push(page)
      if (pagesAfter === 0) continue
      for (const each of open) found.add(each)
      open = []
    }
    return found
  } finally {
    closeSync(log.file)
  }
}

interface Log {
  file: number
  pageSize: number
  salts: bigint
}

function openLog(databasePath: string): Log | null {
  const path = `${databasePath}-wal`
  if (!existsSync(path) || statSync(path).size < headerLength) return null
  // Windows flushes only what may be written to.
  const file = openSync(path, 'r+')
  const header = Buffer.alloc(headerLength)
  readSync(file, header, 0, headerLength, 0)
  return { file, pageSize: header.readUInt32BE(8), salts: header.readBigUInt64BE(16) }
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
        content: buffer.subarray(at + frameHeaderLength, at + length)
      }
    }
    if (read < wanted) return
  }
}
