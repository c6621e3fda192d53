import SQLite from 'better-sqlite3'
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lastChangePath, notedLastChange } from '../../src-main/database/last-change.ts'
import { contentOfLog } from '../../src-main/database/write-ahead-log.ts'
import { Writer } from '../../src-main/database/writer.ts'
import { startWriter } from '../../src-main/start-writer.ts'
import { temporaryDirectory } from '../support/application.ts'
import { printedFaults } from '../support/stderr.ts'

async function started() {
  const directory = await temporaryDirectory()
  const databasePath = join(directory, 'listwright.db')
  const writer = await startWriter({ databasePath, backupDirectory: directory })
  onTestFinished(() => writer.close())
  const userId = await writer.run('accounts.ensureSystemOrganization', undefined)
  const { id: listId } = await writer.run('suppressionLists.create', named('First'))
  const other = new SQLite(databasePath)
  onTestFinished(() => void other.close())
  const suppressed = other
    .prepare<[], string>('SELECT email FROM suppressed_addresses ORDER BY email')
    .pluck()
  const names = other.prepare<[], string>('SELECT name FROM suppression_lists ORDER BY id').pluck()
  const request = (addresses: string) =>
    writer.run('suppressionLists.startSuppression', {
      organizationId: 1,
      id: listId,
      userId,
      parts: partsOf(addresses)
    })
  return {
    writer,
    databasePath,
    other,
    request,
    suppressed: () => suppressed.all(),
    names: () => names.all()
  }
}

function partsOf(addresses: string): string[] {
  const lines = addresses.split('\n')
  const count = Math.ceil(lines.length / 1000)
  return Array.from({ length: count }, (_, at) => lines.slice(at * 1000, (at + 1) * 1000).join('\n'))
}

const named = (name: string) => ({ organizationId: 1, suppressionList: { name } })

const continueWith = (writer: Writer, id: number) =>
  writer.run('suppressionLists.continueSuppression', { id })

const damaged = 'the database is damaged, and nothing is written until this is fixed on the Backups page'
const locked = 'the data is locked by another program, such as a database browser. Close it there'

it('notes nothing of the log that may not be on the disk yet', async () => {
  const { writer, databasePath, request } = await started()
  writer.goOn()
  const userId = await writer.run('accounts.ensureSystemOrganization', undefined)
  const id = await request('a@example.com')
  const noted = notedLastChange(databasePath)
  await continueWith(writer, id)

  // It sets what is set already: SQLite counts a row as changed, writes no page and waits for no disk.
  await writer.run('users.recordRightPassword', { userId })

  expect(notedLastChange(databasePath)).toEqual(noted)
})

describe('commands that callers wait for', () => {
  /** Everything in the log since a frame; each commit ends with a frame that says so. */
  const commitsSince = (databasePath: string, from: number): number => {
    const log = readFileSync(`${databasePath}-wal`)
    const frameBytes = 24 + log.readUInt32BE(8)
    let commits = 0
    for (let at = 32 + from * frameBytes; at + frameBytes <= log.length; at += frameBytes) {
      if (log.readUInt32BE(at + 4) > 0) commits++
    }
    return commits
  }
  const framesOf = (databasePath: string): number => {
    const log = readFileSync(`${databasePath}-wal`)
    return Math.floor((log.length - 32) / (24 + log.readUInt32BE(8)))
  }

  it('commits commands that arrive together at once, in their order', async () => {
    const { writer, databasePath, names } = await started()
    const before = framesOf(databasePath)
    const wanted = Array.from({ length: 40 }, (_, index) => `List ${index}`)

    const created = await Promise.all(
      wanted.map((name) => writer.run('suppressionLists.create', named(name)))
    )

    expect(names()).toEqual(['First', ...wanted])
    expect(created.map(({ id }) => id)).toEqual(wanted.map((_, index) => index + 2))
    expect(commitsSince(databasePath, before)).toBeLessThan(20)
  })

  it('refuses one command without taking back what others write in the same commit', async () => {
    const { writer, names } = await started()

    const results = await Promise.allSettled(
      ['Second', 'first', 'Third', 'SECOND', 'Fourth'].map((name) =>
        writer.run('suppressionLists.create', named(name))
      )
    )

    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled'
    ])
    expect(names()).toEqual(['First', 'Second', 'Third', 'Fourth'])
  })

  it('takes back all that a command wrote before it failed, and nothing of others', async () => {
    const { writer, other, names } = await started()
    // The entry of the change log is written after the list.
    other.exec(`CREATE TRIGGER refuse BEFORE INSERT ON change_log WHEN (SELECT name FROM suppression_lists WHERE id = NEW.first_id) LIKE 'Broken%'
      BEGIN SELECT RAISE(ABORT, 'midway'); END`)
    const wanted = ['Second', 'Broken', 'Third', 'Broken too', 'Fourth']

    const results = await Promise.allSettled(
      wanted.map((name) => writer.run('suppressionLists.create', named(name)))
    )

    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(2)
    expect(names()).toEqual(['First', 'Second', 'Third', 'Fourth'])
  })

  it('repeats refused commands too if the commit fails: the rows that they collided with are gone', async () => {
    const { writer, other, names } = await started()
    other.exec(`CREATE TABLE broken (id INTEGER REFERENCES suppression_lists(id) DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER break AFTER INSERT ON suppression_lists WHEN NEW.name = 'Broken'
      BEGIN INSERT INTO broken VALUES (-1); END`)

    const results = await Promise.allSettled(
      ['Second', 'Broken', 'broken'].map((name) => writer.run('suppressionLists.create', named(name)))
    )

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(names()).toEqual(['First', 'Second', 'broken'])
  })

  it('repeats commands one by one if their commit fails, so that only the faulty one fails', async () => {
    const { writer, other, names } = await started()
    // A foreign key that is checked by the commit alone.
    other.exec(`CREATE TABLE broken (id INTEGER REFERENCES suppression_lists(id) DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER break AFTER INSERT ON suppression_lists WHEN NEW.name LIKE 'Broken%'
      BEGIN INSERT INTO broken VALUES (-1); END`)
    const wanted = ['Second', 'Third', 'Broken', 'Fourth', 'Fifth']

    const results = await Promise.allSettled(
      wanted.map((name) => writer.run('suppressionLists.create', named(name)))
    )

    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled'
    ])
    expect(names()).toEqual(expect.arrayContaining(['First', 'Second', 'Third', 'Fourth', 'Fifth']))
    expect(names()).toHaveLength(5)
  })
})

describe('a writer of damaged data', () => {
  it('runs the commands that let users sign in, refuses all others, and continues on request', async () => {
    const { writer, request, suppressed, names } = await started()
    const id = await request('a@example.com')
    writer.refuse()
    await expect(writer.run('suppressionLists.create', named('Second'))).rejects.toThrow(damaged)
    await expect(
      Promise.allSettled([continueWith(writer, id), continueWith(writer, id)])
    ).resolves.toMatchObject([
      { status: 'rejected', reason: { kind: 'damaged', message: damaged } },
      { status: 'rejected', reason: { kind: 'damaged' } }
    ])
    await expect(writer.run('accounts.ensureSystemOrganization', undefined)).resolves.toEqual(
      expect.any(Number)
    )
    expect(suppressed()).toEqual([])
    expect(names()).toEqual(['First'])
    writer.goOn()
    await continueWith(writer, id)
    await writer.run('suppressionLists.create', named('Second'))
    expect(suppressed()).toEqual(['a@example.com'])
    expect(names()).toEqual(['First', 'Second'])
  })

  it('reports damage once, however many commands find it', async () => {
    const { writer, other } = await started()
    let times = 0
    writer.onDamage(() => times++)
    // An index whose root is a page of a table: SQLite takes it for damage as soon as it writes there.
    other.unsafeMode(true)
    other.pragma('writable_schema = ON')
    other.exec(`UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'suppression_lists')
      WHERE tbl_name = 'suppression_lists' AND type = 'index'`)
    other.pragma('schema_version = 999')
    other.pragma('writable_schema = OFF')
    const results = await Promise.allSettled([
      writer.run('suppressionLists.create', named('Second')),
      writer.run('suppressionLists.create', named('Third'))
    ])
    expect(results).toMatchObject([
      { status: 'rejected', reason: { kind: 'damaged' } },
      { status: 'rejected', reason: { kind: 'damaged' } }
    ])
    await pause(50)
    expect(times).toBe(1)
  })
})

describe('while another program has the lock', () => {
  it('commands wait until it is released, and long jobs for them', async () => {
    const { writer, other, request, suppressed, names } = await started()
    const id = await request('a@example.com')
    other.exec('BEGIN IMMEDIATE')
    const done: string[] = []
    const both = [
      continueWith(writer, id).then(() => done.push('long job')),
      writer.run('suppressionLists.create', named('Second')).then(() => done.push('command'))
    ]
    await pause(300)
    expect(done).toEqual([])
    other.exec('COMMIT')
    await Promise.all(both)
    expect(done).toEqual(['command', 'long job'])
    expect(names()).toEqual(['First', 'Second'])
    expect(suppressed()).toEqual(['a@example.com'])
  })

  it('a command is not begun, not even one that would be refused', async () => {
    const { writer, other } = await started()
    other.exec('BEGIN IMMEDIATE')
    const waiting = Promise.allSettled([writer.run('suppressionLists.create', named('First'))])
    await writer.close()
    expect(await waiting).toMatchObject([{ status: 'rejected', reason: { message: locked } }])
    other.exec('COMMIT')
  })

  it('the writer can be closed: waiting commands are refused or left to the next start', async () => {
    const { writer, other, request, names } = await started()
    const id = await request('a@example.com')
    other.exec('BEGIN IMMEDIATE')
    const began = performance.now()
    const waiting = Promise.allSettled([
      writer.run('suppressionLists.create', named('Second')),
      continueWith(writer, id)
    ])
    await writer.close()
    expect(performance.now() - began).toBeLessThan(4000)
    expect(await waiting).toMatchObject([
      { status: 'rejected', reason: { message: locked } },
      { status: 'rejected', reason: { message: 'the writer thread has stopped' } }
    ])
    other.exec('COMMIT')
    expect(names()).toEqual(['First'])
  })
})

it('commands have times of their own, in their order, however many there are within a millisecond', async () => {
  const { writer, other } = await started()
  await Promise.all(
    Array.from({ length: 300 }, (_, number) => writer.run('suppressionLists.create', named(`List ${number}`)))
  )
  const times = other
    .prepare<[], number>('SELECT created_at FROM suppression_lists ORDER BY id')
    .pluck()
    .all()
  expect(new Set(times).size).toBe(301)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
})

describe('a failed commit', () => {
  /**
   * Makes commits that add to a table fail: a trigger adds a row with a broken reference, which is checked at
   * the commit.
   */
  const failCommitsTo = (other: SQLite.Database, table: string) =>
    other.exec(`CREATE TABLE broken (id INTEGER REFERENCES users (id) DEFERRABLE INITIALLY DEFERRED) STRICT;
      CREATE TRIGGER break AFTER INSERT ON ${table} BEGIN INSERT INTO broken VALUES (-1); END`)

  it('is rolled back completely, and its caller gets the error', async () => {
    const { writer, other, names } = await started()
    const heard: unknown[] = []
    writer.onChanges((changes) => heard.push(...changes))
    failCommitsTo(other, 'suppression_lists')
    await expect(writer.run('suppressionLists.create', named('Second'))).rejects.toThrow(
      /^commit: .*FOREIGN KEY constraint failed/
    )
    other.exec('DROP TRIGGER break')
    await writer.run('suppressionLists.create', named('Third'))
    expect(names()).toEqual(['First', 'Third'])
    await expect.poll(() => heard).toHaveLength(1)
  })

  it('of a long job also rolls back the commands in the same transaction, each of which is refused', async () => {
    const { writer, other, request, suppressed } = await started()
    const [first, second] = [await request('a@example.com'), await request('b@example.com')]
    const heard: unknown[] = []
    writer.onChanges((changes) => heard.push(...changes))
    failCommitsTo(other, 'suppressed_addresses')
    const reason = { message: expect.stringMatching(/^commit: .*FOREIGN KEY constraint failed/) as string }
    expect(
      await Promise.allSettled([continueWith(writer, first), continueWith(writer, second)])
    ).toMatchObject([
      { status: 'rejected', reason },
      { status: 'rejected', reason }
    ])
    expect(suppressed()).toEqual([])
    expect(heard).toEqual([])
    other.exec('DROP TRIGGER break')
    await Promise.all([continueWith(writer, first), continueWith(writer, second)])
    expect(suppressed()).toEqual(['a@example.com', 'b@example.com'])
  })
})

describe('the last change', () => {
  const newestEntry = (other: SQLite.Database) =>
    other.prepare('SELECT max(id) FROM change_log').pluck().get()

  it('is not stored until the data was checked, and no checkpoint is made before that', async () => {
    const { writer, databasePath } = await started()
    expect(notedLastChange(databasePath)).toBe('nothing')
    await writer.close()
    expect(statSync(`${databasePath}-wal`).size).toBeGreaterThan(0)
    expect(notedLastChange(databasePath)).toBe('nothing')
  })

  it('is stored when a caller waits for it, and when the log is copied at the end', async () => {
    const { writer, other, databasePath, request } = await started()
    writer.goOn()
    await writer.run('suppressionLists.create', named('Second'))
    const { end } = contentOfLog(databasePath)
    expect(end?.frames).toBeGreaterThan(0)
    expect(notedLastChange(databasePath)).toEqual({ changeLogId: newestEntry(other), log: end })
    const id = await request('a@example.com')
    const noted = { changeLogId: newestEntry(other), log: contentOfLog(databasePath).end }
    expect(notedLastChange(databasePath)).toEqual(noted)
    // What changes nothing is not noted, and neither is a long job that goes on by itself.
    await writer.run('suppressionLists.continueSuppression', { id: 0 })
    await continueWith(writer, id)
    expect(notedLastChange(databasePath)).toEqual(noted)
    const last = newestEntry(other)
    other.close()
    await writer.run('suppressionLists.create', named('Third'))
    await writer.close()
    expect(existsSync(`${databasePath}-wal`)).toBe(false)
    expect(notedLastChange(databasePath)).toEqual({ changeLogId: Number(last) + 1, log: null })
  })

  it('is committed even if its position cannot be stored', async () => {
    const printed = printedFaults()
    const { writer, databasePath, names } = await started()
    writer.goOn()
    mkdirSync(lastChangePath(databasePath))
    await writer.run('suppressionLists.create', named('Second'))
    expect(names()).toEqual(['First', 'Second'])
    await expect.poll(() => printed.join('')).toMatch(/^The last change could not be noted: EISDIR/)
    rmdirSync(lastChangePath(databasePath))
  })
})

it('a writer tells its listeners about changes, without the details', async () => {
  const { writer } = await started()
  const heard: unknown[] = []
  writer.onChanges((changes) => heard.push(...changes))
  await writer.run('suppressionLists.create', named('Second'))
  await expect.poll(() => heard).toHaveLength(1)
  expect(heard[0]).toMatchObject({ entity: 'suppression_list', action: 'create' })
  expect(Object.keys(heard[0] ?? {})).not.toContain('details')
})

it.each([
  ['ends', 'process.exit(3)', 'the writer thread has stopped'],
  ['throws', "throw new Error('native module missing')", 'native module missing']
])(
  'rejects open() and can be closed if the thread of the writer %s while it loads',
  async (_how, code, said) => {
    const thread = new Worker(code, { eval: true })
    const writer = new Writer(thread)
    await new Promise((resolve) => thread.once('exit', resolve))

    await expect(writer.open({ databasePath: 'none', backupDirectory: 'none' })).rejects.toThrow(said)
    await writer.close()
  }
)
