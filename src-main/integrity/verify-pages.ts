import { fstatSync, openSync, readSync, statSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { type PageSums, readSums } from '../database/page-sums.ts'
import type { LogContent } from '../database/write-ahead-log.ts'

/** Bytes of one read. */
const readAtOnce = 1024 * 1024
/** Where the size of a page stands in the header of a database, in bytes; 1 means 65,536 of them. */
const pageSizeAt = 16

/** A database whose bytes are read beside SQLite. */
export interface OpenDatabase {
  databasePath: string
  /** From {@link openForGood}: a thread's own would end with it. */
  file: number
}

/** What a look at each page of a database found. */
export interface PagesFound {
  /** Whether there is something to compare with, or was. */
  noted: 'nothing' | 'pages' | 'damaged'
  /** Pages, from 1 on, that are not what was written last, or are missing. */
  unlike: number[]
  /** Bytes of a page, as it was noted; null where nothing is. */
  pageSize: number | null
}

/**
 * Compares each page of a database with what was written last: some 0.2 s for a million subscribers. To be called while nothing is
 * copied into the database. Pages that are in its log are read from there, and are not looked at.
 */
export function verifyPages({ databasePath, file }: OpenDatabase, { pages: inLog }: LogContent): PagesFound {
  const noted = readSums(databasePath)
  if (typeof noted === 'string') return { noted, unlike: [], pageSize: null }
  const { sums } = sumsOf(file, noted.pageSize)
  const unlike: number[] = []
  for (let index = 0; index < noted.pages; index++) {
    if (noted.isNoted[index] === 1 && sums[index] !== noted.sums[index] && !inLog.has(index + 1))
      unlike.push(index + 1)
  }
  return { noted: 'pages', unlike, pageSize: noted.pageSize }
}

/** The checksums of a database as it is. @param pageSize bytes, where its own header is not to be asked */
export function sumsOf(file: number, pageSize = pageSizeOf(file)): PageSums {
  const pages = Math.floor(fstatSync(file).size / pageSize)
  const sums = new Uint32Array(pages)
  const buffer = Buffer.alloc(readAtOnce)
  for (let at = 0, page = 0; page < pages; at += readAtOnce) {
    const read = readSync(file, buffer, 0, readAtOnce, at)
    for (let start = 0; start + pageSize <= read; start += pageSize)
      sums[page++] = crc32(buffer.subarray(start, start + pageSize))
    if (read < readAtOnce) break
  }
  return { pageSize, pages, sums, isNoted: new Uint8Array(pages).fill(1) }
}

/** Bytes of a page, as the database says; where that is no size of a page, of one that Listwright made. */
export function pageSizeOf(file: number): number {
  const header = Buffer.alloc(2)
  const size = readSync(file, header, 0, 2, pageSizeAt) < 2 ? 0 : header.readUInt16BE(0)
  if (size === 1) return 65_536
  return size >= 512 && Number.isInteger(Math.log2(size)) ? size : 4096
}

/** By the file's identity: another one may take the path. */
const files = new Map<string, number>()

/**
 * Opens a database for reading its bytes. It stays open as long as the process: with the end of any file of it, the system would end
 * the locks that SQLite has on it (sqlite.org/howtocorrupt.html, "Posix advisory locks canceled").
 */
export function openForGood(databasePath: string): number {
  const { dev, ino } = statSync(databasePath, { bigint: true })
  const identity = `${dev}:${ino}`
  const file = files.get(identity) ?? openSync(databasePath, 'r')
  files.set(identity, file)
  return file
}
