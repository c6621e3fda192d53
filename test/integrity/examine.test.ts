import { existsSync, statSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { lastChangePath, LastChangeNotes, notedLastChange } from '../../src-main/database/last-change.ts'
import { appendSums, readSums, sumsPath } from '../../src-main/database/page-sums.ts'
import { contentOfLog } from '../../src-main/database/write-ahead-log.ts'
import {
  examineDatabase,
  examineEnd,
  deleteChecksums,
  logAsFound,
  acceptAsItIs,
  prepareDamaged,
  prepareNotes
} from '../../src-main/integrity/examine.ts'
import { markerPath } from '../../src-main/integrity/marker.ts'
import { openForGood } from '../../src-main/integrity/verify-pages.ts'
import { commandBench } from '../support/commands.ts'

async function atRest() {
  const { sqlite, directory } = await commandBench()
  sqlite.pragma('wal_checkpoint(TRUNCATE)')
  const databasePath = join(directory, 'listwright.db')
  const database = { databasePath, file: openForGood(databasePath) }
  return { sqlite, directory, database, databasePath, found: () => examineDatabase(database) }
}

const lost = (path: string) =>
  `${path} is damaged or missing, so Listwright cannot tell whether the data is what it wrote.`

it('a database is accepted if nothing was ever noted of it, and if it is as it was noted', async () => {
  const { database, databasePath, found } = await atRest()
  expect(found()).toEqual([])
  await acceptAsItIs(database)
  expect(found()).toEqual([])
  expect(examineEnd(databasePath)).toEqual([])
  expect(notedLastChange(databasePath)).toEqual({ changeLogId: 0, log: null })
})

it('missing notes are reported one by one, even if only the marker in the folder shows that there were any', async () => {
  const { database, databasePath, directory, found } = await atRest()
  await acceptAsItIs(database)
  const [sums, last] = [sumsPath(databasePath), lastChangePath(databasePath)]
  const lastNote = await readFile(last)
  await rm(last)
  expect(found()).toEqual([lost(last)])
  await rm(sums)
  expect(found()).toEqual([])
  await writeFile(last, lastNote)
  expect(found()).toEqual([lost(sums)])
  await rm(last)
  await writeFile(markerPath(directory), '')
  expect(found()).toEqual([lost(sums)])
})

it('unreadable notes are reported', async () => {
  const { database, databasePath, found } = await atRest()
  await acceptAsItIs(database)
  await writeFile(lastChangePath(databasePath), 'x')
  expect(found()).toEqual([lost(lastChangePath(databasePath))])
  await writeFile(sumsPath(databasePath), 'x')
  expect(found()).toEqual([lost(sumsPath(databasePath)), lost(lastChangePath(databasePath))])
})

it('pages that differ from what was written are counted, and their tables are named', async () => {
  const { sqlite, database, databasePath, found } = await atRest()
  await acceptAsItIs(database)
  const rootOf = sqlite.prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck()
  const change = async (table: string) => {
    const bytes = await readFile(databasePath)
    const at = (rootOf.get(table) ?? 0) * 4096 - 1
    bytes[at] = (bytes[at] ?? 0) ^ 1
    await writeFile(databasePath, bytes)
  }
  await change('segments')
  expect(found()).toEqual([
    '1 page of the database is not what Listwright wrote last: a disk, a person or another program changed it. It holds a part of: segments.'
  ])
  await change('campaigns')
  expect(found()).toEqual([
    '2 pages of the database are not what Listwright wrote last: a disk, a person or another program changed them. They hold parts of: campaigns, segments.'
  ])
  // A user accepts the data unchanged.
  await acceptAsItIs(database)
  expect(found()).toEqual([])
})

function note(databasePath: string, last: Parameters<LastChangeNotes['note']>[0]): void {
  const notes = new LastChangeNotes(databasePath)
  notes.note(last)
  notes.close()
}

it('if the change log ends before the recorded last id, the number of missing changes is reported', async () => {
  const { database, databasePath, found } = await atRest()
  await acceptAsItIs(database)
  const copyOrLog = `missing: the database is an older copy, or its log (${databasePath}-wal) was removed or truncated.`
  note(databasePath, { changeLogId: 1, log: null })
  expect(found()).toEqual([`The last change is ${copyOrLog}`])
  note(databasePath, { changeLogId: 1234, log: null })
  expect(found()).toEqual([`The last 1,234 changes are ${copyOrLog}`])
  expect(examineEnd(databasePath)).toEqual(found())
})

it('the log counts as incomplete unless it reaches the recorded position or was restarted since', async () => {
  const { sqlite, database, databasePath } = await atRest()
  await acceptAsItIs(database)
  const missing = `The last changes are missing: the log of the database (${databasePath}-wal) was removed, truncated or damaged.`
  note(databasePath, { changeLogId: 0, log: { salts: 1n, frames: 0 } })
  expect(examineEnd(databasePath)).toEqual([missing])
  sqlite.exec("INSERT INTO settings VALUES ('a', '1')")
  const { end } = contentOfLog(databasePath)
  if (!end) throw new Error('there is no log')
  const foundWith = (frames: number, begunAnew: bigint) => {
    const count = BigInt.asUintN(32, (end.salts >> 32n) - begunAnew)
    const salts = begunAnew === 0n ? end.salts : (count << 32n) | 7n
    note(databasePath, { changeLogId: 0, log: { salts, frames } })
    return examineEnd(databasePath)
  }
  expect(foundWith(end.frames, 0n)).toEqual([])
  expect(foundWith(end.frames - 1, 0n)).toEqual([])
  expect(foundWith(end.frames + 1, 0n)).toEqual([missing])
  expect(foundWith(999, 1n)).toEqual([])
  expect(foundWith(999, 65_536n)).toEqual([])
  expect(foundWith(0, 65_537n)).toEqual([missing])
  expect(foundWith(0, -1n)).toEqual([missing])
})

it('notes of pages are shortened once they are twice as long as they need to be, or end in the middle', async () => {
  const { database, databasePath } = await atRest()
  await prepareNotes(database)
  const path = sumsPath(databasePath)
  const noted = readSums(databasePath)
  if (typeof noted === 'string') throw new Error(noted)
  const size = () => statSync(path).size
  const whole = size()
  const [first = 0] = noted.sums
  const batch = { pageSize: 4096, pages: noted.pages, sums: new Map([[1, first]]) }
  // 16 bytes of a head, 8 of an entry and 4 of a checksum.
  while (size() + 28 <= 16 * noted.pages) appendSums(databasePath, batch)
  const longest = size()
  await prepareNotes(database)
  expect(size()).toBe(longest)
  appendSums(databasePath, batch)
  await prepareNotes(database)
  expect(size()).toBe(whole)
  expect(readSums(databasePath)).toEqual(noted)
  await writeFile(path, Buffer.concat([await readFile(path), Buffer.from('half')]))
  await prepareNotes(database)
  expect(size()).toBe(whole)
})

it('the checksums of a database that will be replaced are marked as unknown', async () => {
  const { database, databasePath } = await atRest()
  await acceptAsItIs(database)
  deleteChecksums(databasePath)
  expect(existsSync(lastChangePath(databasePath))).toBe(false)
  expect(readSums(databasePath)).toBe('nothing')
})

it("the first copy of a damaged database's log is kept until the user accepts the data", async () => {
  const { sqlite, database, databasePath } = await atRest()
  const kept = logAsFound(databasePath)
  sqlite.exec("INSERT INTO settings VALUES ('a', '1')")
  await prepareDamaged(databasePath)
  const first = await readFile(kept)
  expect(first.length).toBeGreaterThan(0)
  sqlite.exec("INSERT INTO settings VALUES ('b', '1')")
  await prepareDamaged(databasePath)
  expect(await readFile(kept)).toEqual(first)
  await acceptAsItIs(database)
  expect(existsSync(kept)).toBe(false)
})

it('a database of which too little is left to be looked at is damaged', async () => {
  const { sqlite, databasePath } = await atRest()
  sqlite.pragma('user_version = 1')
  await expect(prepareDamaged(databasePath)).rejects.toThrow('the database is damaged')
})
