import SQLite from 'better-sqlite3'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Change } from '../../src-main/database/command.ts'
import { openForWriting } from '../../src-main/database/connection.ts'
import { startWriter } from '../../src-main/start-writer.ts'
import { sharedApplication, temporaryDirectory } from '../support/application.ts'
import { importText, makeList, makeSubscriber } from '../support/builders.ts'

const started = sharedApplication()

function rowsOf<Row>(sql: string, ...parameters: unknown[]): Row[] {
  const database = new SQLite(join(started.dataDirectory, 'listwright.db'), { readonly: true })
  try {
    return database.prepare<unknown[], Row>(sql).all(...parameters)
  } finally {
    database.close()
  }
}

it('the change log records the creation, change and deletion of a subscriber', async () => {
  const { api } = started
  const list = await makeList(api)
  const { id } = await makeSubscriber(api, list.id, 'a@example.com')
  await api.put(`/mailing_lists/${list.id}/subscribers/${id}`, { subscriber: { status: 'bounced' } })
  await api.delete(`/mailing_lists/${list.id}/subscribers/${id}`)
  const changes = rowsOf<{ action: string; first_id: number; last_id: number; organization_id: number }>(
    `SELECT action, first_id, last_id, organization_id FROM change_log
     WHERE entity = 'subscriber' AND mailing_list_id = ? ORDER BY id`,
    list.id
  )
  const one = { first_id: id, last_id: id, organization_id: 1 }
  expect(changes).toEqual(['create', 'update', 'delete'].map((action) => ({ action, ...one })))
})

it('no two commands have the same time, however many there are', async () => {
  const { api } = started
  const list = await makeList(api)
  await Promise.all(Array.from({ length: 40 }, (_, n) => makeSubscriber(api, list.id, `p${n}@example.com`)))
  const times = rowsOf<{ updated_at: number }>(
    'SELECT updated_at FROM subscribers WHERE mailing_list_id = ?',
    list.id
  ).map(({ updated_at }) => updated_at)
  expect(new Set(times).size).toBe(40)
})

it('a thread that dies leaves its commits in the log, up to the stored position', async () => {
  const directory = await temporaryDirectory()
  const databasePath = join(directory, 'listwright.db')
  const writer = await startWriter({ databasePath, backupDirectory: directory })
  await writer.run('accounts.ensureSystemOrganization', undefined)
  const length = statSync(`${databasePath}-wal`).size
  const failure = new Promise<Error>((resolve) => writer.onFailure(resolve))
  writer.connect().postMessage({ id: 1, name: 'nothing.of.the.kind', input: null })
  expect((await failure).message).toContain('undefined')
  await writer.close()
  expect(statSync(`${databasePath}-wal`).size).toBe(length)
})

describe('commands of long jobs', () => {
  async function writerWithList() {
    const directory = await temporaryDirectory()
    const writer = await startWriter({
      databasePath: join(directory, 'listwright.db'),
      backupDirectory: directory
    })
    const userId = await writer.run('accounts.ensureSystemOrganization', undefined)
    const list = { organizationId: 1, suppressionList: { name: 'Never' } }
    const { id: suppressionListId } = await writer.run('suppressionLists.create', list)
    return { writer, userId, suppressionListId, directory }
  }

  it('report their changes like other commands', async () => {
    const { writer, userId, suppressionListId } = await writerWithList()
    const heard: Change[] = []
    writer.onChanges((changes) => heard.push(...changes))
    const input = { organizationId: 1, id: suppressionListId, userId, parts: ['a@example.com'] }
    const request = await writer.run('suppressionLists.startSuppression', input)
    await writer.run('suppressionLists.continueSuppression', { id: request })
    await pause(50)
    expect(heard).toMatchObject([
      { entity: 'suppression_list', action: 'update', firstId: suppressionListId }
    ])
    await writer.close()
  })

  it('that fail midway commit nothing, and do not affect later commands', async () => {
    const { writer, userId, suppressionListId, directory } = await writerWithList()
    const database = new SQLite(join(directory, 'listwright.db'))
    // The list is counted after its addresses were written.
    database.exec(`CREATE TRIGGER refuse BEFORE UPDATE OF addresses ON suppression_lists
      BEGIN SELECT RAISE(ABORT, 'midway'); END`)
    const input = { organizationId: 1, id: suppressionListId, userId, parts: ['a@example.com'] }
    const request = await writer.run('suppressionLists.startSuppression', input)
    await expect(writer.run('suppressionLists.continueSuppression', { id: request })).rejects.toThrow(
      'midway'
    )
    const addresses = database.prepare('SELECT count(*) FROM suppressed_addresses').pluck()
    expect(addresses.get()).toBe(0)
    database.exec('DROP TRIGGER refuse')
    expect(await writer.run('suppressionLists.continueSuppression', { id: request })).toBe(false)
    expect(addresses.get()).toBe(1)
    database.close()
    await writer.close()
  })
})

it('rows of a large file are written in the order of their keys', async () => {
  const { api } = started
  const list = await makeList(api)
  const emails = Array.from({ length: 21_000 }, (_, row) => `p${(row * 7919) % 21_000}@example.com`)
  await importText(api, list.id, `email\n${emails.join('\n')}\n`)
  const [written] = rowsOf<{ out_of_order: number; rows: number }>(
    `SELECT count(*) AS rows, sum(substr(email_key, 1, 3) < substr(before, 1, 3)) AS out_of_order
     FROM (SELECT email_key, lag(email_key) OVER (ORDER BY id) AS before FROM subscribers WHERE mailing_list_id = ?)`,
    list.id
  )
  expect(written).toEqual({ rows: 21_000, out_of_order: 0 })
})

it('a writer whose thread died reports it, refuses all commands, and can be closed', async () => {
  const directory = await temporaryDirectory()
  const writer = await startWriter({ databasePath: join(directory, 'a.db'), backupDirectory: directory })
  const failures: Error[] = []
  writer.onFailure((error) => failures.push(error))
  // What no thread of ours sends: the writer cannot read it.
  writer.connect().postMessage(null)
  await expect.poll(() => failures.map(({ message }) => message)).toEqual([expect.stringContaining('null')])
  await expect(writer.run('accounts.ensureSystemOrganization', undefined)).rejects.toThrow('null')
  await writer.close()
})

it('a closed writer refuses commands, which is not reported as a failure', async () => {
  const directory = await temporaryDirectory()
  const writer = await startWriter({ databasePath: join(directory, 'a.db'), backupDirectory: directory })
  let failures = 0
  writer.onFailure(() => failures++)
  await writer.close()
  expect(failures).toBe(0)
  await expect(writer.run('accounts.ensureSystemOrganization', undefined)).rejects.toThrow('has stopped')
})

it('a command that a caller waits for is on disk before it is answered: SQLite syncs each commit', async () => {
  const database = openForWriting(join(await temporaryDirectory(), 'test.db'))
  expect(database.pragma('synchronous', { simple: true })).toBe(2)
  database.close()
})

it('a record that others refer to cannot be deleted: foreign keys are enforced', async () => {
  const database = openForWriting(join(await temporaryDirectory(), 'test.db'))
  database.exec('CREATE TABLE a (id INTEGER PRIMARY KEY) STRICT')
  database.exec('CREATE TABLE b (a_id INTEGER REFERENCES a (id)) STRICT')
  expect(() => database.exec('INSERT INTO b VALUES (1)')).toThrow('FOREIGN KEY constraint failed')
  database.close()
})
