import SQLite from 'better-sqlite3'
import { copyFile, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { keepLog, openForWriting } from '../../src-main/database/connection.ts'
import { LastChangeNotes, notedLastChange } from '../../src-main/database/last-change.ts'
import {
  appendSums,
  markSumsUnknown,
  type PageSums,
  readSums,
  replaceSums,
  sumsPath
} from '../../src-main/database/page-sums.ts'
import { contentOfLog, pagesInLog, saltsOfLog, syncLog } from '../../src-main/database/write-ahead-log.ts'
import { temporaryDirectory } from '../support/application.ts'
import { canCountOpenFiles, openFiles } from '../support/open-files.ts'

async function databasePath(): Promise<string> {
  return join(await temporaryDirectory(), 'listwright.db')
}

const whole: PageSums = {
  pageSize: 4096,
  pages: 3,
  sums: Uint32Array.of(11, 0, 33),
  isNoted: Uint8Array.of(1, 0, 1)
}

/** Returns the stored checksums by page; null = none. */
function noted(path: string): unknown {
  const found = readSums(path)
  if (typeof found === 'string') return found
  const { pageSize, pages, sums, isNoted, length } = found
  return {
    pageSize,
    pages,
    length,
    sums: Array.from(sums, (sum, index) => (isNoted[index] === 1 ? sum : null))
  }
}

describe('notes of pages', () => {
  it('cover the whole database, with the latest checksum of each page', async () => {
    const path = await databasePath()
    expect(noted(path)).toBe('nothing')
    await replaceSums(path, whole)
    expect(noted(path)).toEqual({ pageSize: 4096, pages: 3, sums: [11, null, 33], length: 36 })
    appendSums(path, {
      pageSize: 4096,
      pages: 4,
      sums: new Map([
        [2, 2_222_222_222],
        [4, 44]
      ])
    })
    appendSums(path, { pageSize: 4096, pages: 4, sums: new Map([[1, 0]]) })
    expect(noted(path)).toEqual({ pageSize: 4096, pages: 4, sums: [0, 2_222_222_222, 33, 44], length: 100 })
    // The database became smaller, and larger again.
    appendSums(path, { pageSize: 4096, pages: 2, sums: new Map([[2, 5]]) })
    expect(noted(path)).toMatchObject({ pages: 2, sums: [0, 5] })
  })

  it('do not start with single pages, nor where they were abandoned', async () => {
    const path = await databasePath()
    const batch = { pageSize: 4096, pages: 1, sums: new Map([[1, 1]]) }
    appendSums(path, batch)
    expect(noted(path)).toBe('nothing')
    markSumsUnknown(path)
    appendSums(path, batch)
    expect(noted(path)).toBe('nothing')
    expect(await readFile(sumsPath(path), 'utf8')).toBe('not noted\n')
  })

  it('without a complete last batch consist of the batches before it', async () => {
    const path = await databasePath()
    await replaceSums(path, whole)
    const { length } = await readFile(sumsPath(path))
    appendSums(path, { pageSize: 4096, pages: 3, sums: new Map([[2, 22]]) })
    const bytes = await readFile(sumsPath(path))
    for (let end = length; end < bytes.length; end++) {
      await writeFile(sumsPath(path), bytes)
      await truncate(sumsPath(path), end)
      expect(noted(path), `cut at ${end}`).toEqual({ pageSize: 4096, pages: 3, sums: [11, null, 33], length })
    }
    for (let end = 1; end < length; end++) {
      await writeFile(sumsPath(path), bytes.subarray(0, end))
      expect(noted(path), `cut at ${end}`).toBe('damaged')
    }
  })

  it('in which any byte before the last batch was changed are damaged', async () => {
    const path = await databasePath()
    await replaceSums(path, whole)
    appendSums(path, { pageSize: 4096, pages: 3, sums: new Map([[2, 22]]) })
    appendSums(path, { pageSize: 4096, pages: 3, sums: new Map([[2, 23]]) })
    const bytes = await readFile(sumsPath(path))
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 0x40
      await writeFile(sumsPath(path), changed)
      if (at < 64) expect(noted(path), `changed at ${at}`).toBe('damaged')
      else expect(noted(path), `changed at ${at}`).toMatchObject({ sums: [11, 22, 33], length: 64 })
    }
  })
})

async function logged() {
  const path = await databasePath()
  const database = new SQLite(path)
  onTestFinished(() => void database.close())
  database.pragma('journal_mode = WAL')
  database.pragma('wal_autocheckpoint = 0')
  database.exec('CREATE TABLE t (text); CREATE TABLE u (text)')
  database.pragma('wal_checkpoint(TRUNCATE)')
  const insert = database.prepare('INSERT INTO t VALUES (?)')
  return { path, database, insert: (length = 10) => insert.run('x'.repeat(length)) }
}

const pageSize = 4096
const frame = 24 + pageSize

describe('the log', () => {
  it('contains the pages that SQLite would copy from it, with their contents', async () => {
    const { path, database, insert } = await logged()
    expect(contentOfLog(path)).toEqual({ end: null, pages: new Map() })
    expect(saltsOfLog(path)).toBeNull()
    expect(pagesInLog(path, 0, 1)).toBeNull()
    // More frames than are read at once.
    for (let row = 0; row < 300; row++) insert()
    insert(2_000_000)
    syncLog(path)
    const log = await readFile(`${path}-wal`)
    const frames = (log.length - 32) / frame
    expect(frames).toBeGreaterThan(700)
    const { end, pages } = contentOfLog(path)
    expect(end).toEqual({ salts: saltsOfLog(path), frames })
    const sums = new Map([...pages].map(([page, at]) => [page, crc32(log.subarray(at, at + pageSize))]))
    const batch = pagesInLog(path, 0, frames)
    expect(batch).toEqual({ pageSize, pages: database.pragma('page_count', { simple: true }), sums })
    const copied = `${path}-copied`
    database.pragma('wal_checkpoint(PASSIVE)')
    await copyFile(path, copied)
    const after = await readFile(copied)
    for (const [page, sum] of sums)
      expect(crc32(after.subarray((page - 1) * pageSize, page * pageSize))).toBe(sum)
  })

  it('can be read in part, but not if it ends within a transaction or is missing', async () => {
    const { path, insert } = await logged()
    insert()
    insert()
    insert(10_000)
    const { end, pages } = contentOfLog(path)
    const frames = end?.frames ?? 0
    expect(frames).toBe(6)
    expect([...(pagesInLog(path, 1, 2)?.sums.keys() ?? [])]).toEqual([2])
    expect(pagesInLog(path, 0, 2)?.pages).toBe(3)
    expect(pagesInLog(path, 2, 6)?.pages).toBe(5)
    expect(pagesInLog(path, 2, 4)).toBeNull()
    expect(pagesInLog(path, 2, 7)).toBeNull()
    expect([...pages.keys()].sort()).toEqual([1, 2, 4, 5])
  })

  it('ends with the last complete transaction, wherever it was truncated or changed', async () => {
    const { path, insert } = await logged()
    insert()
    insert()
    insert(10_000)
    const log = await readFile(`${path}-wal`)
    const copy = `${path}-broken`
    const framesOf = async (bytes: Buffer): Promise<number | null> => {
      await writeFile(`${copy}-wal`, bytes)
      return contentOfLog(copy).end?.frames ?? null
    }
    expect(await framesOf(log)).toBe(6)
    for (const [length, frames] of [
      [31, null],
      [32, 0],
      [32 + frame - 1, 0],
      [32 + frame, 1],
      [32 + 2 * frame, 2],
      [32 + 3 * frame, 2],
      [32 + 6 * frame - 1, 2],
      [32 + 6 * frame, 6]
    ] as const) {
      expect(await framesOf(log.subarray(0, length)), `${length} bytes`).toBe(frames)
    }
    // Flip one bit in the header, or in a frame's salts, checksum or content: reading stops before that frame.
    for (const [at, frames] of [
      [0, null],
      [5, null],
      [20, null],
      [26, null],
      [32 + 2, 0],
      [32 + 9, 0],
      [32 + 17, 0],
      [32 + 500, 0],
      [32 + frame + 17, 1],
      [32 + 5 * frame + 99, 2]
    ] as const) {
      const changed = Buffer.from(log)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(await framesOf(changed), `changed at ${at}`).toBe(frames)
    }
  })
})

describe.runIf(canCountOpenFiles)('files', () => {
  it('with stored checksums are closed, whatever they contain', async () => {
    const path = await databasePath()
    const batch = { pageSize: 4096, pages: 1, sums: new Map([[1, 1]]) }
    await replaceSums(path, whole)
    appendSums(path, batch)
    markSumsUnknown(path)
    appendSums(path, batch)
    const last = new LastChangeNotes(path)
    last.note({ changeLogId: 1, log: null })
    last.note({ changeLogId: 2, log: null }, true)
    expect(openFiles(path)).toBe(1)
    last.close()
    last.close()
    expect(notedLastChange(path)).toEqual({ changeLogId: 2, log: null })
    expect(openFiles(path)).toBe(0)
  })

  it('of logs are closed, also if they are broken or unreadable', async () => {
    const { path, insert } = await logged()
    insert()
    const before = openFiles(path)
    contentOfLog(path)
    saltsOfLog(path)
    syncLog(path)
    expect(pagesInLog(path, 0, 1)).not.toBeNull()
    expect(openFiles(path)).toBe(before)
    const other = await databasePath()
    await writeFile(`${other}-wal`, 'x'.repeat(40))
    expect(contentOfLog(other).end).toBeNull()
    expect(pagesInLog(other, 0, 1)).toBeNull()
    await rm(`${other}-wal`)
    await mkdir(`${other}-wal`)
    expect(() => contentOfLog(other)).toThrow('EISDIR')
    expect(openFiles(other)).toBe(0)
  })

  it('of databases that cannot be opened are closed', async () => {
    const path = await databasePath()
    await writeFile(path, 'x'.repeat(4096))
    expect(() => openForWriting(path)).toThrow('file is not a database')
    expect(() => keepLog(path)).toThrow('file is not a database')
    expect(openFiles(path)).toBe(0)
  })
})
