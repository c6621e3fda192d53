import SQLite from 'better-sqlite3'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, cp, mkdtemp, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { examineStructure, acceptAsItIs } from '../../src-main/integrity/examine.ts'
import type { IntegrityAnswer } from '../../src-main/integrity/endpoints.ts'
import { openForGood } from '../../src-main/integrity/verify-pages.ts'
import { temporaryDirectory } from '../support/application.ts'
import { allSubscribers, makeCampaign, makeList, makeSubscriber } from '../support/builders.ts'
import type { Answer, Client } from '../support/client.ts'
import { runServe, serve, type ServedApplication } from '../support/process.ts'
import { canMount, smallDisk } from '../support/small-disk.ts'

// Files of an application that is ended are changed as disks, people and other programs change them.

interface Kept {
  directory: string
  database: string
  listId: number
}

/**
 * How the application ended. `draft`: its last change is only in the log and has no entry in the change log.
 */
type End = 'SIGTERM' | 'SIGKILL' | 'draft'

/** Data directories, created once: each test changes a copy. */
let originals: Promise<Record<End, Kept>> | undefined
const parent = await mkdtemp(join(tmpdir(), 'listwright-test-'))
afterAll(() => rm(parent, { recursive: true, force: true }))

async function kept(end: End = 'SIGTERM'): Promise<Kept> {
  const original = (await (originals ??= leftByApplications()))[end]
  const directory = await temporaryDirectory()
  await cp(original.directory, directory, { recursive: true })
  return { ...original, directory, database: join(directory, 'listwright.db') }
}

async function leftByApplications(): Promise<Record<End, Kept>> {
  const at = (name: End, listId: number): Kept => ({
    directory: join(parent, name),
    database: join(parent, name, 'listwright.db'),
    listId
  })
  const app = await serve(join(parent, 'SIGTERM'))
  const { id: listId } = await makeList(app.api, { name: 'Readers' })
  for (let person = 0; person < 40; person++)
    await makeSubscriber(app.api, listId, `person${person}@example.com`)
  await app.end('SIGTERM')
  const ended = at('SIGTERM', listId)
  return {
    SIGTERM: ended,
    SIGKILL: await cutOff(ended, at('SIGKILL', listId), async (api) => {
      for (const email of ['first@example.com', 'second@example.com', 'third@example.com'])
        await makeSubscriber(api, listId, email)
    }),
    draft: await cutOff(ended, at('draft', listId), (api) =>
      api.workbench('PUT', '/drafts/template', { title: 'A script', path: '/', base: '{}', state: '{}' })
    )
  }
}

async function cutOff(from: Kept, copy: Kept, change: (api: Client) => Promise<unknown>): Promise<Kept> {
  await cp(from.directory, copy.directory, { recursive: true })
  const app = await serve(copy.directory)
  await examined(app.api)
  await change(app.api)
  await app.end('SIGKILL')
  return copy
}

/** Returns the number of the last page of a table or an index; the first page of a file is 1. */
function pageOf(path: string, name: string): number {
  const database = new SQLite(path, { readonly: true })
  const page = database.prepare('SELECT max(pageno) FROM dbstat WHERE name = ?').pluck().get(name)
  database.close()
  return Number(page)
}

/** Returns the result once the examination has ended. */
async function examined(api: Client): Promise<IntegrityAnswer> {
  await expect
    .poll(async () => (await api.workbench<IntegrityAnswer>('GET', '/integrity')).data.state)
    .not.toBe('checking')
  return (await api.workbench<IntegrityAnswer>('GET', '/integrity')).data
}

async function placeOf(path: string, text: string): Promise<number> {
  const at = (await readFile(path)).indexOf(text)
  expect(at).toBeGreaterThan(0)
  return at
}

async function write(path: string, at: number, bytes: string): Promise<void> {
  const file = await open(path, 'r+')
  await file.write(bytes, at)
  await file.close()
}

const pageSize = 4096

function rootsOf(path: string, table: string): number[] {
  const database = new SQLite(path, { readonly: true })
  try {
    return database
      .prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE tbl_name = ? AND rootpage > 0')
      .pluck()
      .all(table)
  } finally {
    database.close()
  }
}

async function expectNothingIsWritten(
  app: ServedApplication,
  { listId, database }: Kept,
  before: Buffer
): Promise<void> {
  const found = await examined(app.api)
  const refused = await app.api.post(`/mailing_lists/${listId}/subscribers`, {
    subscriber: { email: 'new@example.com', status: 'active' }
  })
  expect(refused).toMatchObject({ success: false, error_code: 'internal_error' })
  expect(refused.error_message).toContain('damaged')
  // A refusal finds nothing new.
  expect(await examined(app.api)).toEqual(found)
  await app.end('SIGTERM')
  expect((await readFile(database)).equals(before)).toBe(true)
}

test('a database that only Listwright changed is sound, however often it was cut off', async () => {
  const { directory, listId } = await kept('SIGKILL')
  for (let round = 0; round < 3; round++) {
    const app = await serve(directory)
    expect(await examined(app.api)).toEqual({ state: 'sound', faults: [] })
    await makeSubscriber(app.api, listId, `round${round}@example.com`)
    await app.end(round === 1 ? 'SIGTERM' : 'SIGKILL')
  }
  const app = await serve(directory)
  expect(await examined(app.api)).toEqual({ state: 'sound', faults: [] })
})

test('a letter that somebody else changed in the database is found, and nothing is written any more', async () => {
  const data = await kept()
  await write(data.database, await placeOf(data.database, 'person7@example.com'), 'P')
  const before = await readFile(data.database)
  const app = await serve(data.directory)
  const { state, faults } = await examined(app.api)
  expect(state).toBe('damaged')
  expect(faults.join()).toMatch(/page.* not what Listwright wrote last.*subscribers/)
  // Reads still work.
  expect((await app.api.get('/mailing_lists')).success).toBe(true)
  await expectNothingIsWritten(app, data, before)
})

test('data that was changed on purpose is used as it is on request', async () => {
  const data = await kept()
  const other = new SQLite(data.database)
  other
    .prepare("UPDATE subscribers SET email = 'other@example.com' WHERE email = 'person7@example.com'")
    .run()
  other.close()
  const app = await serve(data.directory)
  expect(await examined(app.api)).toMatchObject({ state: 'damaged' })
  expect((await app.api.workbench('POST', '/integrity/accept')).success).toBe(true)
  await makeSubscriber(app.api, data.listId, 'new@example.com')
  await app.end('SIGTERM')
  const next = await serve(data.directory)
  expect(await examined(next.api)).toEqual({ state: 'sound', faults: [] })
})

// Of the first, a start reads nothing; of the others, it reads what campaigns and autoresponders still have to send.
test.each(['subscribers', 'message_journal_by_state', 'autoresponder_deliveries'])(
  'a database that SQLite cannot use is served for a look, and cannot be accepted unchanged: %s',
  async (name) => {
    const data = await kept()
    await write(data.database, 4096 * (pageOf(data.database, name) - 1), '\u0000'.repeat(4096))
    const app = await serve(data.directory)
    expect(await examined(app.api)).toMatchObject({ state: 'damaged' })
    const refused = await app.api.workbench('POST', '/integrity/accept')
    expect(refused).toMatchObject({ success: false, error_code: 'validation_failed' })
  }
)

test('a database of which too little is left for a start is left as it is, with the way back', async () => {
  const data = await kept()
  const { size } = await stat(data.database)
  await truncate(data.database, size - 8192)
  const before = await readFile(data.database)
  const child = runServe(['--data-dir', data.directory, '--port', '0'])
  const [errors, exit] = await Promise.all([textOf(child.stderr ?? Readable.from([])), once(child, 'exit')])
  expect(exit).toEqual([1, null])
  expect(errors).toContain(`The database ${data.database} is damaged. It was left as it is.`)
  expect(errors).toContain('Listwright has made no backup')
  expect((await readFile(data.database)).equals(before)).toBe(true)
})

test('a start that fails over wrong data says that the database is damaged', async () => {
  const data = await kept()
  // No administrator is found, and the one that is made anew is there already.
  const at = await placeOf(data.database, 'admin@localhost.localdomain')
  await write(data.database, (await readFile(data.database)).indexOf('system_admin', at), 'S')
  const before = await readFile(data.database)
  const child = runServe(['--data-dir', data.directory, '--port', '0'])
  const [errors, exit] = await Promise.all([textOf(child.stderr ?? Readable.from([])), once(child, 'exit')])
  expect(exit).toEqual([1, null])
  expect(errors).toContain(`The database ${data.database} is damaged. It was left as it is.`)
  expect(errors).not.toContain('UNIQUE')
  expect((await readFile(data.database)).equals(before)).toBe(true)
})

test('an older copy in the place of the database is found', async () => {
  const data = await kept()
  const copy = `${data.database}.copy`
  await copyFile(data.database, copy)
  const app = await serve(data.directory)
  await makeSubscriber(app.api, data.listId, 'later@example.com')
  await app.end('SIGTERM')
  await copyFile(copy, data.database)
  const next = await serve(data.directory)
  const { state, faults } = await examined(next.api)
  expect(state).toBe('damaged')
  expect(faults.join()).toContain('The last change is missing')
})

test('a log that was taken away after a crash is found', async () => {
  const data = await kept('SIGKILL')
  expect(existsSync(`${data.database}-wal`)).toBe(true)
  await rm(`${data.database}-wal`)
  const app = await serve(data.directory)
  const { state, faults } = await examined(app.api)
  expect(state).toBe('damaged')
  expect(faults.join()).toMatch(/The last 3 changes are missing: .* or its log .* was removed/)
})

test('a log that was cut off after a crash is found', async () => {
  const data = await kept('SIGKILL')
  // The transaction of the last subscriber.
  const log = `${data.database}-wal`
  await truncate(log, (await placeOf(log, 'second@example.com')) - 4120)
  const app = await serve(data.directory)
  const { state, faults } = await examined(app.api)
  expect(state).toBe('damaged')
  expect(faults.join()).toMatch(/The last \d+ changes are missing/)
})

test('unreadable checksums are reported', async () => {
  const data = await kept()
  await writeFile(`${data.database}-sums`, 'something else, and longer than the head of a note')
  const app = await serve(data.directory)
  const { state, faults } = await examined(app.api)
  expect(state).toBe('damaged')
  expect(faults.join()).toContain('-sums is damaged')
  expect((await app.api.workbench('POST', '/integrity/accept')).success).toBe(true)
  await makeSubscriber(app.api, data.listId, 'new@example.com')
})

test('checksums that were deleted with the log are reported', async () => {
  for (const parts of [['-wal', '-shm', '-sums', '-last'], ['-wal', '-last'], ['-last']]) {
    const data = await kept('SIGKILL')
    for (const part of parts) await rm(data.database + part)
    const app = await serve(data.directory)
    const { state, faults } = await examined(app.api)
    expect(state, parts.join()).toBe('damaged')
    expect(faults.join()).toContain('is damaged or missing')
    expect((await app.api.workbench('POST', '/integrity/accept')).success).toBe(true)
    await app.end('SIGTERM')
    const next = await serve(data.directory)
    expect(await examined(next.api)).toEqual({ state: 'sound', faults: [] })
  }
})

test('a database copied here without its checksum files gets new ones', async () => {
  const data = await kept()
  for (const path of [`${data.database}-sums`, `${data.database}-last`, join(data.directory, '.listwright')])
    await rm(path)
  const app = await serve(data.directory)
  expect(await examined(app.api)).toEqual({ state: 'sound', faults: [] })
  await app.end('SIGTERM')
  expect(existsSync(`${data.database}-sums`)).toBe(true)
})

test('deleting the log of a running application loses nothing', async () => {
  const data = await kept()
  const app = await serve(data.directory)
  await examined(app.api)
  await makeSubscriber(app.api, data.listId, 'before@example.com')
  await rm(`${data.database}-wal`)
  // Nothing can be put back: a change is refused until the next start, rather than confirmed and lost by a crash.
  await expect(makeSubscriber(app.api, data.listId, 'meanwhile@example.com')).rejects.toThrow(
    'start Listwright again'
  )
  await app.end('SIGTERM')
  const next = await serve(data.directory)
  expect(await examined(next.api)).toEqual({ state: 'sound', faults: [] })
  await makeSubscriber(next.api, data.listId, 'after@example.com')
  const emails = (await allSubscribers(next.api, data.listId)).map(({ email }) => email)
  expect(emails).toEqual(expect.arrayContaining(['before@example.com', 'after@example.com']))
})

test('damage that a preview finds stops all writing', async () => {
  const data = await kept()
  const first = await serve(data.directory)
  const image = await first.api.raw('/app/v1/images?name=logo.gif', {
    method: 'POST',
    body: Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
  })
  const { key } = ((await image.json()) as Answer<{ key: string }>).data
  await first.end('SIGTERM')
  const app = await serve(data.directory)
  expect(await examined(app.api)).toEqual({ state: 'sound', faults: [] })
  const { id } = await makeCampaign(app.api, data.listId, {
    contents: [{ subject: 'Hello', format: 'html', html: `<img src="cid:${key}">` }]
  })
  for (const root of rootsOf(data.database, 'images'))
    await write(data.database, (root - 1) * pageSize, 'x'.repeat(pageSize))
  const preview = { recipients: ['a@example.com'] }
  const sent = await app.api.post(`/campaigns/${id}/send_preview`, { preview })
  expect(sent).toMatchObject({ success: false, error_code: 'internal_error' })
  expect((await examined(app.api)).state).toBe('damaged')
  const refused = await app.api.post('/mailing_lists', { mailing_list: { name: 'New' } })
  expect(refused.error_message).toContain('damaged')
})

test('a key that is made on the command line does not look like damage', async () => {
  const data = await kept('SIGKILL')
  const child = runServe(['key', 'create', 'For a script', '--data-dir', data.directory])
  expect(await once(child, 'exit')).toEqual([0, null])
  const app = await serve(data.directory)
  expect(await examined(app.api)).toEqual({ state: 'sound', faults: [] })
})

test('a backup that is put back after a crash is no damage', async () => {
  const data = await kept()
  const app = await serve(data.directory)
  const { data: backup } = await app.api.workbench<{ name: string }>('POST', '/backups')
  await app.end('SIGKILL')
  const child = runServe(['backup', 'restore', backup.name, '--data-dir', data.directory])
  expect(await once(child, 'exit')).toEqual([0, null])
  const next = await serve(data.directory)
  expect(await examined(next.api)).toEqual({ state: 'sound', faults: [] })
})

test('a log that was broken is found also where only a draft was lost', async () => {
  const data = await kept('draft')
  const log = `${data.database}-wal`
  await write(log, (await readFile(log)).lastIndexOf('A script'), 'B')
  const next = await serve(data.directory)
  const { state, faults } = await examined(next.api)
  expect(state).toBe('damaged')
  expect(faults.join()).toContain('The last changes are missing')
})

test('deleted checksums are reported', async () => {
  const data = await kept()
  await rm(`${data.database}-sums`)
  const app = await serve(data.directory)
  const { state, faults } = await examined(app.api)
  expect(state).toBe('damaged')
  expect(faults.join()).toContain('-sums is damaged or missing')
})

test('a missing log is reported at the second start as well', async () => {
  const data = await kept('SIGKILL')
  await rm(`${data.database}-wal`)
  for (let start = 0; start < 4; start++) {
    const app = await serve(data.directory)
    expect(await examined(app.api)).toMatchObject({ state: 'damaged' })
    await app.end(start % 2 === 0 ? 'SIGKILL' : 'SIGTERM')
  }
})

test('a log with a broken header, of which SQLite reads nothing, is reported', async () => {
  const data = await kept('draft')
  await write(`${data.database}-wal`, 12, '\u007f')
  const before = await readFile(`${data.database}-wal`)
  const next = await serve(data.directory)
  const { state, faults } = await examined(next.api)
  expect(state).toBe('damaged')
  expect(faults.join()).toContain('The last changes are missing')
  expect((await readFile(`${data.database}-wal-as-found`)).equals(before)).toBe(true)
})

test('damage is found, and nothing is copied over it, where the lock is missing as well', async () => {
  const data = await kept('draft')
  const log = `${data.database}-wal`
  await write(log, (await readFile(log)).lastIndexOf('A script'), 'B')
  const before = await readFile(log)
  await rm(join(data.directory, 'instance.lock'))
  const check = runServe(['check', '--data-dir', data.directory])
  expect(await once(check, 'exit')).toEqual([1, null])
  await rm(join(data.directory, 'instance.lock'))
  const next = await serve(data.directory)
  expect(await examined(next.api)).toMatchObject({ state: 'damaged' })
  expect((await readFile(`${log}-as-found`)).equals(before)).toBe(true)
})

test('a backup can be restored if half of the database and the instance lock are missing', async () => {
  const data = await kept()
  const app = await serve(data.directory)
  const { data: backup } = await app.api.workbench<{ name: string }>('POST', '/backups')
  await app.end('SIGTERM')
  await truncate(data.database, Math.floor((await stat(data.database)).size / 2))
  await rm(join(data.directory, 'instance.lock'))
  const restore = runServe(['backup', 'restore', backup.name, '--data-dir', data.directory])
  expect(await once(restore, 'exit')).toEqual([0, null])
  const next = await serve(data.directory)
  expect(await examined(next.api)).toEqual({ state: 'sound', faults: [] })
})

test('an emptied checksum file is reported as damage', async () => {
  const data = await kept()
  await truncate(`${data.database}-sums`, 0)
  await write(data.database, await placeOf(data.database, 'person7@example.com'), 'P')
  const app = await serve(data.directory)
  const { state, faults } = await examined(app.api)
  expect(state).toBe('damaged')
  expect(faults.join()).toContain('-sums is damaged')
})

test('an unwritten end of the checksum file after a power cut is not damage', async () => {
  const data = await kept()
  const { size } = await stat(`${data.database}-sums`)
  // The place was taken, and nothing had been written to it.
  await truncate(`${data.database}-sums`, size + 812)
  await truncate(`${data.database}-last`, 0)
  const app = await serve(data.directory)
  expect(await examined(app.api)).toEqual({ state: 'sound', faults: [] })
  await makeSubscriber(app.api, data.listId, 'new@example.com')
  await app.end('SIGKILL')
  const next = await serve(data.directory)
  expect(await examined(next.api)).toEqual({ state: 'sound', faults: [] })
})

test('a new database is not reported as damaged after the old one was deleted', async () => {
  const data = await kept()
  await rm(data.database)
  await rm(join(data.directory, '.listwright'))
  for (let start = 0; start < 2; start++) {
    const app = await serve(data.directory)
    expect(await examined(app.api)).toEqual({ state: 'sound', faults: [] })
    await makeList(app.api)
    await app.end('SIGKILL')
  }
})

test('a database that another program has locked is not damaged', async () => {
  const data = await kept('SIGKILL')
  const other = new SQLite(data.database)
  other.pragma('locking_mode = EXCLUSIVE')
  other.exec('BEGIN IMMEDIATE')
  try {
    expect(() => examineStructure(data.database)).toThrow('locked')
  } finally {
    other.close()
  }
})

test('what changes nothing notes no end, since the disk may not have what was written before', async () => {
  const data = await kept()
  const app = await serve(data.directory)
  await examined(app.api)
  await makeSubscriber(app.api, data.listId, 'new@example.com')
  const note = `${data.database}-last`
  const before = await readFile(note, 'utf8')
  // A key is used with each call, which is written in the background: it waits for no disk.
  await expect
    .poll(async () => {
      await app.api.workbench('DELETE', '/drafts/nothing')
      return (await stat(`${data.database}-wal`)).size
    })
    .toBeGreaterThan(0)
  expect(await readFile(note, 'utf8')).toBe(before)
})

test('a lock file that was deleted after a crash is no damage', async () => {
  const data = await kept('SIGKILL')
  await rm(join(data.directory, 'instance.lock'))
  const app = await serve(data.directory)
  expect(await examined(app.api)).toEqual({ state: 'sound', faults: [] })
})

test.skipIf(!canMount)('a disk that is full at the end and at the next start is no damage', async () => {
  const { directory, fill, grow } = await smallDisk(24)
  const app = await serve(directory)
  await examined(app.api)
  const list = await makeList(app.api)
  for (let person = 0; person < 100; person++)
    await makeSubscriber(app.api, list.id, `person${person}@example.com`)
  await fill(0)
  await app.end('SIGTERM')
  // Whether it starts depends on what the end has freed.
  const attempt = runServe(['--data-dir', directory, '--port', '0', '--json'])
  const ended = once(attempt, 'exit')
  await Promise.race([ended, once(attempt.stdout ?? Readable.from([]), 'data')])
  attempt.kill('SIGTERM')
  await ended
  grow(64)
  const next = await serve(directory)
  expect(await examined(next.api)).toEqual({ state: 'sound', faults: [] })
  expect((await allSubscribers(next.api, list.id)).length).toBe(100)
})

test('the check of a database whose records cannot be counted reports the damage and the command that recovers data', async () => {
  const data = await kept()
  await write(data.database, 4096, '\u0000'.repeat(4096))
  const page = Math.floor((await placeOf(data.database, 'person7@example.comperson7')) / 4096)
  await write(data.database, page * 4096, '\u0000'.repeat(4096))
  const check = runServe(['check', '--data-dir', data.directory])
  const [errors, exit] = await Promise.all([textOf(check.stderr ?? Readable.from([])), once(check, 'exit')])
  expect(exit).toEqual([1, null])
  expect(errors).toMatch(
    /is damaged, and cannot be counted.* not what Listwright wrote last.*backup recover/s
  )
})

test('a command of the command line does not write to a damaged database', async () => {
  const data = await kept()
  await write(data.database, await placeOf(data.database, 'person7@example.com'), 'P')
  const child = runServe(['key', 'create', 'For a script', '--data-dir', data.directory])
  const [errors, exit] = await Promise.all([textOf(child.stderr ?? Readable.from([])), once(child, 'exit')])
  expect(exit).toEqual([1, null])
  expect(errors).toContain('Nothing is written until this is fixed')
  const check = runServe(['check', '--data-dir', data.directory])
  expect(await once(check, 'exit')).toEqual([1, null])
})

test('what an application that was cut off wrote wrongly is found after the start, though its pages are what it wrote', async () => {
  for (const end of ['SIGKILL', 'SIGTERM'] as const) {
    const { directory, database: path } = await kept(end)
    const database = new SQLite(path)
    database.pragma('foreign_keys = OFF')
    database.exec('UPDATE subscribers SET mailing_list_id = 999 WHERE id = 1')
    database.close()
    await acceptAsItIs({ databasePath: path, file: openForGood(path) })
    const app = await serve(directory)
    const state = async () => (await app.api.workbench<IntegrityAnswer>('GET', '/integrity')).data
    if (end === 'SIGKILL') {
      await expect.poll(async () => (await state()).state).toBe('damaged')
      expect((await state()).faults.join()).toMatch(
        /^\d+ rows, such as one in .*, refer to missing mailing_lists/
      )
    } else expect((await examined(app.api)).state).toBe('sound')
    await app.end('SIGTERM')
  }
})
