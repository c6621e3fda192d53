import { cp, readFile, writeFile } from 'node:fs/promises'
import SQLite from 'better-sqlite3'
import { parse } from 'csv-parse/sync'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lossesPath } from '../../src-main/backups/files.ts'
import { recoverBackup, type Recovery } from '../../src-main/backups/recover.ts'
import { verifyBackup } from '../../src-main/backups/verify.ts'
import { openForGood } from '../../src-main/integrity/verify-pages.ts'
import { temporaryDirectory } from '../support/application.ts'
import {
  importText,
  makeCampaign,
  makeField,
  makeList,
  makeSegment,
  makeSubscriber
} from '../support/builders.ts'
import { changeBytes, changePage, cutShort, type Random, swapPages } from '../support/damage.ts'
import { roundsToRun } from '../support/long.ts'
import { serve } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'

const people = 3000

async function kept(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<string> {
  const directory = await temporaryDirectory()
  const app = await serve(directory)
  const { api } = app
  const list = await makeList(api, { name: 'Readers' })
  await makeField(api, list.id, 'City', 'text')
  await makeField(api, list.id, 'Topics', 'select_multiple_checkboxes', {
    options: [{ name: 'News' }, { name: 'Offers' }]
  })
  const rows = Array.from(
    { length: people },
    (_, row) => `reader${row}@example.com,City ${row % 50},News;Offers`
  )
  const imported = await importText(api, list.id, `email,City,Topics\n${rows.join('\n')}\n`, {
    column_mapping: ['email', 'City', 'Topics']
  })
  expect(imported.stats.subscribers.added).toBe(people)
  const other = await makeList(api, { name: 'Others' })
  for (let person = 0; person < 20; person++)
    await makeSubscriber(api, other.id, `other${person}@example.com`)
  await makeSegment(api, list.id, { other: other.id })
  await makeCampaign(api, list.id)
  const sent = await makeCampaign(api, other.id, {
    dispatch_attributes: { from_email: 'sender@example.com', begins_at: Math.floor(Date.now() / 1000) }
  })
  await api.sent(sent.id)
  // Of rows whose table has no id of its own, the first is gone.
  const draft = { title: 'A draft', path: '/', base: '{}', state: '{}' }
  for (const kind of ['first', 'second', 'third']) await api.workbench('PUT', `/drafts/${kind}`, draft)
  expect((await api.workbench('DELETE', '/drafts/first')).success).toBe(true)
  await app.end(signal)
  return directory
}

async function recovered(directory: string): Promise<Recovery & { path: string }> {
  const path = join(directory, 'recovered.db')
  const databasePath = join(directory, 'listwright.db')
  const recovery = await recoverBackup({ databasePath, file: openForGood(databasePath) }, path)
  return { ...recovery, path }
}

async function damagedCopy(of: string): Promise<string> {
  const directory = join(await temporaryDirectory(), 'data')
  await cp(of, directory, { recursive: true })
  return directory
}

interface Person {
  id: number
  email: string
  status: string
  custom_fields: string
}

function peopleIn(path: string): Person[] {
  const database = new SQLite(path)
  try {
    return database.prepare<[], Person>('SELECT id, email, status, custom_fields FROM subscribers').all()
  } finally {
    database.close()
  }
}

interface LossRow {
  Record: string
  Id: string
  Name: string
  List: string
  'What became of it': string
}

async function lossesOf(path: string): Promise<LossRow[]> {
  return parse(await readFile(lossesPath(path)), { columns: true, bom: true })
}

test('undamaged data is recovered unchanged, and nothing is lost', async () => {
  const directory = await kept('SIGKILL')
  const before = await damagedCopy(directory)
  const { losses, path } = await recovered(directory)
  expect(losses).toEqual({ lost: 0, doubtful: 0, replaced: 0, removed: 0, stopped: 0 })
  expect(peopleIn(path)).toEqual(peopleIn(join(before, 'listwright.db')))
  const { tables: now } = await verifyBackup(path)
  const { tables: then } = await verifyBackup(join(before, 'listwright.db'))
  expect(now).toEqual(then)
})

test('a first page of noise, which contradicts the other pages, loses no subscriber', async () => {
  const directory = await damagedCopy(await kept())
  const path = join(directory, 'listwright.db')
  const before = peopleIn(path)
  const bytes = await readFile(path)
  bytes.fill(0xa7, 0, 4096)
  // Pages of 8192 bytes, of which 200 hold nothing.
  bytes.writeUInt16BE(8192, 16)
  bytes.writeUInt8(200, 20)
  await writeFile(path, bytes)
  const { path: recoveredPath } = await recovered(directory)
  expect(peopleIn(recoveredPath)).toEqual(before)
})

test('deleted records that are still in free pages stay deleted', async () => {
  const directory = await damagedCopy(await kept())
  const path = join(directory, 'listwright.db')
  const database = new SQLite(path)
  database.pragma('secure_delete = OFF')
  database.exec('DELETE FROM subscribers WHERE id > 100 AND id <= 2900')
  expect(database.pragma('freelist_count', { simple: true })).toBeGreaterThan(50)
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
  const before = peopleIn(path)
  expect(peopleIn((await recovered(directory)).path)).toEqual(before)
})

interface Damage {
  apply: (path: string, random: Random) => Promise<void>
  mayTakeNames?: boolean
}

const damages: Record<string, Damage> = {
  'some bytes': { apply: (path, random) => changeBytes(path, random), mayTakeNames: true },
  'a page of zeros': { apply: (path, random) => changePage(path, random, () => 0) },
  'a page of noise': { apply: (path, random) => changePage(path, random, () => random() * 256) },
  'two pages in each other’s place': { apply: swapPages, mayTakeNames: true },
  'a database cut short': { apply: cutShort, mayTakeNames: true }
}

test('each subscriber that is not recovered unchanged from damaged data is named', async () => {
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
  process.stdout.write(`salvage: SEED=${seed}\n`)
  const random = seededRandom(seed)
  const origin = await kept()
  const before = peopleIn(join(origin, 'listwright.db'))
  const outcomes: string[] = []
  const kinds = Object.entries(damages)
  for (let round = 0; round < roundsToRun(15, 200); round++) {
    const [name, { apply, mayTakeNames = false }] = kinds[round % kinds.length] as (typeof kinds)[number]
    const named = `round ${round} of seed ${seed}, ${name}`
    const directory = await damagedCopy(origin)
    await apply(join(directory, 'listwright.db'), random)
    const found = await readFile(join(directory, 'listwright.db'))
    const { path, found: verification } = await recovered(directory)
    expect(verification.ok, named).toBe(true)
    expect((await readFile(join(directory, 'listwright.db'))).equals(found), `${named}: written over`).toBe(
      true
    )
    const after = new Map(peopleIn(path).map((person) => [person.id, person]))
    const losses = (await lossesOf(path)).filter(({ Record }) => Record === 'Subscriber')
    const told = new Set(losses.map(({ Id }) => Id))
    const unlike = before.filter((person) => JSON.stringify(after.get(person.id)) !== JSON.stringify(person))
    const unnamed = unlike.filter(({ id }) => !told.has(String(id))).length
    const isNumberTold = losses.some(({ Name }) => Name === `${unnamed} who cannot be named`)
    outcomes.push(`${name}: ${unlike.length} unlike, ${unnamed} unnamed${isNumberTold ? ', counted' : ''}`)
    if (!mayTakeNames) expect(unnamed, named).toBe(0)
  }
  process.stdout.write(`${outcomes.join('\n')}\n`)
}, 600_000)

/** Recovers data after bytes of the row of a subscriber were changed in its table, not in the indexes. */
async function recoveredAfter(email: string, change: (row: Buffer, head: Buffer, id: number) => void) {
  const directory = await damagedCopy(await kept())
  const path = join(directory, 'listwright.db')
  const before = peopleIn(path)
  const bytes = await readFile(path)
  // The email and its key stand one after the other in the table alone.
  const at = bytes.indexOf(email + email)
  expect(at).toBeGreaterThan(0)
  const { id } = before.find((person) => person.email === email) ?? { id: 0 }
  change(bytes.subarray(at, at + 200), bytes.subarray(at - 40, at), id)
  await writeFile(path, bytes)
  const { path: to } = await recovered(directory)
  const database = new SQLite(to, { readonly: true })
  const keys = database.prepare('SELECT email, email_key FROM subscribers').all()
  database.close()
  const after = new Map(peopleIn(to).map((person) => [person.id, person]))
  const losses = (await lossesOf(to)).filter((row) => row.Record === 'Subscriber')
  return { id, before, after, keys, losses, loss: losses.find((row) => row.Id === String(id)) }
}

const doubtful = 'Kept, but its part of the file was changed: please check it'

test('a changed letter in an address is reported, and the subscriber is found under the address as it is now', async () => {
  const { id, before, after, keys, losses, loss } = await recoveredAfter('reader1500@example.com', (row) => {
    row.write('a', 0)
  })
  expect(after.get(id)?.email).toBe('aeader1500@example.com')
  expect(keys).toContainEqual({ email: 'aeader1500@example.com', email_key: 'aeader1500@example.com' })
  expect(loss).toMatchObject({
    Name: 'aeader1500@example.com',
    List: 'Readers',
    'What became of it': doubtful
  })
  expect(after.size).toBe(before.length)
  // Those of the same page may have been changed as well.
  expect(losses.length).toBeGreaterThan(1)
  expect(losses.length).toBeLessThan(100)
  expect(losses.every((row) => row['What became of it'] === doubtful)).toBe(true)
})

test('values that can no longer be read are left out, and the subscriber stays', async () => {
  const { id, before, after, loss } = await recoveredAfter('reader1500@example.com', (row) => {
    row.write('x', row.indexOf('{"'))
  })
  expect(after.get(id)).toMatchObject({ email: 'reader1500@example.com', custom_fields: '{}' })
  expect(after.get(id + 1)?.custom_fields).toContain('City')
  expect(loss?.['What became of it']).toBe(doubtful)
  expect(after.size).toBe(before.length)
})

test('a subscriber whose address can no longer be read is listed as lost once, by the address that an index still has', async () => {
  const email = 'reader1500@example.com'
  const { id, before, after, losses, loss } = await recoveredAfter(email, (row) => {
    row.write(' ', 10)
  })
  expect(after.has(id)).toBe(false)
  expect(after.size).toBe(before.length - 1)
  expect(loss).toMatchObject({ Name: 'reader1500@example.com', List: 'Readers', 'What became of it': 'Lost' })
  expect(losses.filter((row) => row.Id === String(id))).toHaveLength(1)
})

test('a damaged row with the id of an intact subscriber does not hide that subscriber', async () => {
  const email = 'reader1500@example.com'
  const { id, before, after, losses } = await recoveredAfter(email, (row, head, own) => {
    // Its id becomes that of the next one, in two bytes of seven bits.
    const varint = (value: number) => Buffer.of(0x80 | (value >> 7), value & 0x7f)
    varint(own + 1).copy(head, head.lastIndexOf(varint(own)))
    row.write(' ', 10)
  })
  expect(after.size).toBe(before.length - 1)
  expect(after.has(id + 1)).toBe(true)
  const lost = losses.filter((row) => row['What became of it'] === 'Lost')
  expect(lost.map((row) => [row.Id, row.Name])).toEqual([[String(id), email]])
})

test('a list record whose header no longer has columns is reported as lost', async () => {
  const id = 2
  const directory = await damagedCopy(await kept())
  const databasePath = join(directory, 'listwright.db')
  const bytes = await readFile(databasePath)
  // Before the name of the list stand its id, then the header: its length and the types of the columns.
  const name = bytes.lastIndexOf('Others')
  const header = Array.from({ length: 60 }, (_, back) => name - 1 - back).find(
    (at) => bytes[at] === name - at && bytes[at - 1] === id
  )
  expect(header).toBeDefined()
  bytes[header ?? 0] = 1
  await writeFile(databasePath, bytes)

  const { path } = await recovered(directory)

  expect(await lossesOf(path)).toContainEqual(
    expect.objectContaining({ Record: 'List', Id: String(id), 'What became of it': 'Lost' })
  )
  expect(peopleIn(path).filter(({ email }) => email.startsWith('reader'))).toHaveLength(people)
})
