import SQLite from 'better-sqlite3'
import { existsSync, mkdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Checkpointer } from '../../src-main/database/checkpointer.ts'
import { openForWriting } from '../../src-main/database/connection.ts'
import { LastChangeNotes, notedLastChange } from '../../src-main/database/last-change.ts'
import { endWith, NotedCheckpoint } from '../../src-main/database/noted-checkpoint.ts'
import { readSums, replaceSums, sumsPath } from '../../src-main/database/page-sums.ts'
import { saltsOfLog } from '../../src-main/database/write-ahead-log.ts'
import { temporaryDirectory } from '../support/application.ts'
import { printedFaults } from '../support/stderr.ts'

afterEach(() => vi.useRealTimers())

async function opened() {
  const path = join(await temporaryDirectory(), 'listwright.db')
  const first = new SQLite(path)
  first.pragma('page_size = 512')
  first.exec('CREATE TABLE t (text)')
  first.close()
  const sqlite = openForWriting(path)
  sqlite.pragma('synchronous = OFF')
  let copies = 0
  let damage = 0
  const checkpointer = new Checkpointer(sqlite, path, {
    onCopied: () => copies++,
    onDamage: () => damage++
  })
  const last = new LastChangeNotes(path)
  onTestFinished(() => {
    if (sqlite.open) checkpointer.close(last)
  })
  onTestFinished(() => checkpointer.finish())
  const other = new SQLite(path, { readonly: true })
  onTestFinished(() => void other.close())
  return {
    path,
    sqlite,
    checkpointer,
    last,
    /**
     * Starts a read, so that the log cannot restart.
     * @returns a function that ends it
     */
    read: (): (() => void) => {
      other.exec('BEGIN; SELECT 1 FROM t')
      return () => void other.exec('COMMIT')
    },
    write: (pages: number) =>
      sqlite.prepare("INSERT INTO t VALUES (replace(hex(zeroblob(?)), '00', 'abcd'))").run(pages * 127),
    copies: () => copies,
    damage: () => damage,
    copied: () => {
      const [state] = sqlite.pragma('wal_checkpoint(NOOP)') as { log: number; checkpointed: number }[]
      return state
    }
  }
}

const copied = async (of: { copies: () => number }, times: number): Promise<void> => {
  await expect.poll(() => of.copies(), { timeout: 20_000 }).toBe(times)
}

describe('the log is copied into the database', () => {
  it('after copying is allowed, and not while it is held back', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const all = await opened()
    const { checkpointer, write, copied: state } = all
    write(21_000)
    expect(checkpointer.hasBegun).toBe(false)
    checkpointer.afterCommit()
    checkpointer.begin()
    expect(checkpointer.hasBegun).toBe(true)
    checkpointer.hold()
    checkpointer.afterCommit()
    // A copy that is under way would be waited for.
    await checkpointer.holdOff()
    expect(all.copies()).toBe(0)
    expect(state()?.checkpointed).toBe(0)
    vi.advanceTimersByTime(5000)
    checkpointer.begin()
    checkpointer.afterCommit()
    vi.useRealTimers()
    await copied(all, 1)
    expect(state()?.checkpointed).toBe(checkpointer.logLength)
    expect(all.damage()).toBe(0)
  })

  it('when it has twenty thousand pages, or one thousand after more than a second', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const all = await opened()
    const { checkpointer, write, copied: state } = all
    checkpointer.begin()
    write(19_000)
    checkpointer.afterCommit()
    expect(checkpointer.isBehind).toBe(false)
    expect(state()?.checkpointed).toBe(0)
    vi.advanceTimersByTime(1000)
    checkpointer.afterCommit()
    expect(state()?.checkpointed).toBe(0)
    vi.advanceTimersByTime(1)
    checkpointer.afterCommit()
    vi.useRealTimers()
    await copied(all, 1)
    expect(state()?.checkpointed).toBeGreaterThan(19_000)
  })

  it('by the writer itself in its last pages, after which it starts over', async () => {
    const all = await opened()
    const { checkpointer, write, read, copied: state } = all
    checkpointer.begin()
    write(21_000)
    const endReading = read()
    checkpointer.afterCommit()
    await copied(all, 1)
    write(10)
    endReading()
    checkpointer.afterCommit()
    expect(all.copies()).toBe(1)
    expect(state()?.checkpointed).toBe(checkpointer.logLength)
    const salts = saltsOfLog(all.path)
    write(10)
    expect(checkpointer.logLength).toBeLessThan(20)
    expect(saltsOfLog(all.path)).not.toBe(salts)
    // A log that began just now is not slow to fill.
    write(1500)
    checkpointer.afterCommit()
    expect(state()?.checkpointed).toBe(0)
  })

  it.each([
    ['grew to more than forty thousand pages', 21_000, true],
    ['stayed below that', 10_000, false],
    ['has only its last pages left', 300, true]
  ])('while long jobs wait, if it %s (%i pages more): %s', async (_when, pages, isBehind) => {
    const all = await opened()
    const { checkpointer, write, read } = all
    checkpointer.begin()
    write(21_000)
    const endReading = read()
    checkpointer.afterCommit()
    expect(checkpointer.isBehind).toBe(false)
    await copied(all, 1)
    write(pages)
    endReading()
    checkpointer.afterCommit()
    expect(checkpointer.isBehind).toBe(isBehind)
    await copied(all, 2)
    expect(checkpointer.isBehind).toBe(false)
  })

  it('only five seconds after the disk was full', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const all = await opened()
    const { checkpointer, write, copied: state } = all
    checkpointer.begin()
    write(21_000)
    await checkpointer.holdOff()
    vi.advanceTimersByTime(4999)
    checkpointer.afterCommit()
    await checkpointer.holdOff()
    expect(state()?.checkpointed).toBe(0)
    vi.advanceTimersByTime(5000)
    checkpointer.afterCommit()
    vi.useRealTimers()
    await copied(all, 1)
  })

  it('to its end if a copy is running, for which holding back waits', async () => {
    const all = await opened()
    const { checkpointer, write, copied: state } = all
    checkpointer.begin()
    write(21_000)
    checkpointer.afterCommit()
    await checkpointer.holdOff()
    expect(state()?.checkpointed).toBe(checkpointer.logLength)
  })
})

describe('the end of the writer', () => {
  it('copies the rest, and stores that the log is empty', async () => {
    const { path, checkpointer, write, last } = await opened()
    checkpointer.begin()
    write(10)
    last.note({ changeLogId: 7, log: { salts: 1n, frames: 10 } })
    checkpointer.close(last)
    expect(existsSync(`${path}-wal`)).toBe(false)
    expect(statSync(path).size).toBeGreaterThan(10 * 512)
    expect(notedLastChange(path)).toEqual({ changeLogId: 7, log: null })
  })

  it('leaves the log unchanged while copying is held back', async () => {
    const { path, checkpointer, write, last } = await opened()
    write(10)
    last.note({ changeLogId: 7, log: { salts: 1n, frames: 10 } })
    const { size } = statSync(`${path}-wal`)
    checkpointer.close(last)
    expect(statSync(`${path}-wal`).size).toBe(size)
    expect(notedLastChange(path)).toEqual({ changeLogId: 7, log: { salts: 1n, frames: 10 } })
  })
})

describe('a copy of the log', () => {
  it('has the checksums of its pages stored, and ends where the log ended at its start', async () => {
    const { path, sqlite, write } = await opened()
    await replaceSums(path, { pageSize: 512, pages: 0, sums: new Uint32Array(), isNoted: new Uint8Array() })
    const checkpoint = new NotedCheckpoint(sqlite, path)
    onTestFinished(() => checkpoint.close())
    expect(checkpoint.state()).toMatchObject({ log: 0, checkpointed: 0 })
    expect(checkpoint.isDone).toBe(true)
    write(10)
    const { log } = checkpoint.state()
    expect(checkpoint.isDone).toBe(false)
    expect(checkpoint.run()).toMatchObject({ log, checkpointed: log })
    expect(checkpoint.isDone).toBe(true)
    const noted = readSums(path)
    expect(noted).toMatchObject({ pageSize: 512, pages: sqlite.pragma('page_count', { simple: true }) })
    // There is nothing to copy, and nothing is noted twice.
    expect(checkpoint.run()).toMatchObject({ log, checkpointed: log })
    expect(readSums(path)).toEqual(noted)
    // It holds no snapshot any more: the log can start over.
    write(1)
    expect(checkpoint.state().log).toBeLessThan(log)
  })

  it('leaves later writes in the log until an open read ends', async () => {
    const { path, sqlite, write, read } = await opened()
    const checkpoint = new NotedCheckpoint(sqlite, path)
    onTestFinished(() => checkpoint.close())
    write(10)
    const before = checkpoint.state().log
    const endReading = read()
    write(1)
    const { log } = checkpoint.state()
    expect(checkpoint.run()).toMatchObject({ log, checkpointed: before })
    expect(checkpoint.isDone).toBe(false)
    endReading()
    expect(checkpoint.run()).toMatchObject({ log, checkpointed: log })
  })

  it('is not made if its checksums cannot be stored, with a message', async () => {
    const { path, sqlite, write } = await opened()
    const printed = printedFaults()
    mkdirSync(sumsPath(path))
    const checkpoint = new NotedCheckpoint(sqlite, path)
    onTestFinished(() => checkpoint.close())
    write(10)
    const { log } = checkpoint.state()
    expect(checkpoint.run()).toEqual({ log: 0, checkpointed: 0 })
    expect(checkpoint.state()).toMatchObject({ log, checkpointed: 0 })
    expect(printed).toEqual([expect.stringMatching(/^Pages could not be noted: EISDIR.*\n$/)])
    rmdirSync(sumsPath(path))
    expect(checkpoint.run()).toMatchObject({ log, checkpointed: log })
  })

  it('of a deleted log keeps the data and abandons the checksums', async () => {
    const { path, sqlite, write, copied: state } = await opened()
    await replaceSums(path, { pageSize: 512, pages: 0, sums: new Uint32Array(), isNoted: new Uint8Array() })
    const checkpoint = new NotedCheckpoint(sqlite, path)
    onTestFinished(() => checkpoint.close())
    write(1)
    checkpoint.run()
    write(10)
    rmSync(`${path}-wal`)
    checkpoint.run()
    expect(state()?.checkpointed).toBeGreaterThan(10)
    expect(readSums(path)).toBe('nothing')
  })
})

it('if its end cannot be stored, the log remains', async () => {
  const { path, sqlite, write, last } = await opened()
  const printed = printedFaults()
  write(10)
  const checkpoint = new NotedCheckpoint(sqlite, path)
  checkpoint.run()
  last.note({ changeLogId: 7, log: { salts: 1n, frames: 10 } })
  last.close()
  const elsewhere = new LastChangeNotes(join(path, 'nowhere'))
  endWith(sqlite, checkpoint, elsewhere)
  expect(printed).toEqual([expect.stringMatching(/^The end could not be noted: ENOTDIR.*\n$/)])
  expect(existsSync(`${path}-wal`)).toBe(true)
  expect(notedLastChange(path)).toEqual({ changeLogId: 7, log: { salts: 1n, frames: 10 } })
})
