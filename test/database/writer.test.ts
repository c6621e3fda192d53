import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Writer } from '../../src-main/database/writer.ts'
import { startWriter } from '../../src-main/start-writer.ts'
import { temporaryDirectory } from '../support/application.ts'

/** A writer over a database with one suppression list, and another program that has the database open. */
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
    writer.run('suppressionLists.beginSuppression', { organizationId: 1, id: listId, userId, addresses })
  return { writer, other, request, suppressed: () => suppressed.all(), names: () => names.all() }
}

const named = (name: string) => ({ organizationId: 1, suppressionList: { name } })

const goOnWith = (writer: Writer, id: number) => writer.run('suppressionLists.continueSuppression', { id })

const damaged = 'the database is damaged, and nothing is written until this is fixed on the Backups page'
const locked = 'the data is locked by another program, such as a database browser. Close it there'

describe('a writer of damaged data', () => {
  it('does what lets people in, refuses everything else with a sentence, and goes on once it is told to', async () => {
    const { writer, request, suppressed, names } = await started()
    const id = await request('a@example.com')
    writer.refuse()
    await expect(writer.run('suppressionLists.create', named('Second'))).rejects.toThrow(damaged)
    await expect(Promise.allSettled([goOnWith(writer, id), goOnWith(writer, id)])).resolves.toMatchObject([
      { status: 'rejected', reason: { kind: 'damaged', message: damaged } },
      { status: 'rejected', reason: { kind: 'damaged' } }
    ])
    await expect(writer.run('accounts.ensureSystemOrganization', undefined)).resolves.toEqual(
      expect.any(Number)
    )
    expect(suppressed()).toEqual([])
    expect(names()).toEqual(['First'])
    writer.goOn()
    await goOnWith(writer, id)
    await writer.run('suppressionLists.create', named('Second'))
    expect(suppressed()).toEqual(['a@example.com'])
    expect(names()).toEqual(['First', 'Second'])
  })

  it('tells once that it met damage, whatever else meets it', async () => {
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
  it('what somebody waits for waits for it, and so do long jobs, which come after', async () => {
    const { writer, other, request, suppressed, names } = await started()
    const id = await request('a@example.com')
    other.exec('BEGIN IMMEDIATE')
    let done = 0
    const both = [
      goOnWith(writer, id).then(() => done++),
      writer.run('suppressionLists.create', named('Second')).then(() => done++)
    ]
    await pause(300)
    expect(done).toBe(0)
    other.exec('COMMIT')
    await Promise.all(both)
    expect(names()).toEqual(['First', 'Second'])
    expect(suppressed()).toEqual(['a@example.com'])
  })

  it('the writer can be closed: what waits is refused or left to the next start', async () => {
    const { writer, other, request, names } = await started()
    const id = await request('a@example.com')
    other.exec('BEGIN IMMEDIATE')
    const began = performance.now()
    const waiting = Promise.allSettled([
      writer.run('suppressionLists.create', named('Second')),
      goOnWith(writer, id)
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

it('a writer tells whoever listens what was changed, without what it was before', async () => {
  const { writer } = await started()
  const heard: unknown[] = []
  writer.onChanges((changes) => heard.push(...changes))
  await writer.run('suppressionLists.create', named('Second'))
  await expect.poll(() => heard).toHaveLength(1)
  expect(heard[0]).toMatchObject({ entity: 'suppression_list', action: 'create' })
  expect(Object.keys(heard[0] ?? {})).not.toContain('details')
})
