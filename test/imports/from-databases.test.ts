import Database from 'better-sqlite3'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import type { FileAnalysis } from '../../src-main/contact-files/analysis/schema.ts'
import type { DatabaseTarget } from '../../src-main/remote-databases/remote-database.ts'
import type { DatabaseSource, ImportSchedule } from '../../src-main/workbench/database-imports/endpoints.ts'
import type { DatabaseFault } from '../../src-main/workbench/home/endpoints.ts'
import { clientOfUser, makeOrganization } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import { allSubscribers, expectSuccess, makeField, makeList } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { sqliteFile } from '../support/remote-lists.ts'
import { until } from '../support/smtp-route.ts'

const started = sharedApplication()
let made = 0

const contacts = `INSERT INTO contacts VALUES (1, 'anna@example.org', 'Anna'), (2, 'ben@example.org', 'Ben, "the" second'),
  (3, 'carl@example.org', NULL)`
const query = 'SELECT email, name AS first_name FROM contacts ORDER BY id'

async function connectionTo({ engine, database }: DatabaseTarget, settings: object = {}): Promise<number> {
  const database_connection = { name: `Shop ${++made}`, engine, database, ...settings }
  return expectSuccess(
    await started.api.post<{ id: number }>('/database_connections', { database_connection })
  ).id
}

function window<Data>(method: string, path: string, body?: unknown) {
  return started.api.workbench<Data>(method, path, body)
}

/** A list with the field first_name, and the rows of a database as they are read for it. */
async function readRows(target: DatabaseTarget, asked = query) {
  const list = await makeList(started.api)
  await makeField(started.api, list.id, 'first_name', 'text')
  const database_connection_id = await connectionTo(target)
  const source = { database_connection_id, query: asked }
  const { filename, rows } = expectSuccess(
    await window<{ filename: string; rows: number }>('POST', '/database_uploads', source)
  )
  const path = `/mailing_lists/${list.id}/file_analyses`
  const { reading } = expectSuccess(await window<FileAnalysis>('POST', path, { filename }))
  return { list, source, filename, rows, reading }
}

async function untilImported(id: number): Promise<SubscriberImport> {
  const read = async (): Promise<SubscriberImport> =>
    expectSuccess(await started.api.get<SubscriberImport>(`/subscriber_imports/${id}`))
  await until(async () => (await read()).state === 'finished')
  return read()
}

async function namesOn(listId: number): Promise<unknown[]> {
  const subscribers = await allSubscribers(started.api, listId)
  return subscribers.map(({ email, custom_fields }) => [email, custom_fields['first_name']?.value])
}

describe('an import from a database', () => {
  it('takes the rows of a query as it takes a file', async () => {
    const { list, filename, rows, reading } = await readRows(await sqliteFile(contacts))

    const { id } = expectSuccess(
      await window<{ id: number }>('POST', `/mailing_lists/${list.id}/file_imports`, { filename, reading })
    )
    await untilImported(id)

    expect(rows).toBe(3)
    expect(await namesOn(list.id)).toEqual([
      ['anna@example.org', 'Anna'],
      ['ben@example.org', 'Ben, "the" second'],
      ['carl@example.org', null]
    ])
  })

  it('is refused with the words of the database, and leaves no file', async () => {
    const database_connection_id = await connectionTo(await sqliteFile())
    const uploads = (): string[] => readdirSync(join(started.dataDirectory, 'uploads'))
    const before = uploads()

    expect(
      await window('POST', '/database_uploads', { database_connection_id, query: 'SELECT nothing' })
    ).toMatchObject({
      error_code: 'validation_failed',
      error_message: expect.stringMatching(
        /^the database Shop \d+ refuses the query: “near "nothing": syntax error”$/
      ) as string
    })
    expect(uploads()).toEqual(before)
  })

  it('rejects a value with a NUL byte, and names its row and column', async () => {
    const target = await sqliteFile(`${contacts}, (4, 'dora@example.org', 'Do' || char(0) || 'ra')`)
    const database_connection_id = await connectionTo(target)

    expect(await window('POST', '/database_uploads', { database_connection_id, query })).toMatchObject({
      error_code: 'validation_failed',
      error_message:
        'row 4 holds a NUL byte in the column “first_name”, which no import takes. Leave the row or the byte out in the query'
    })
  })

  it('is for the organizations that the connection names', async () => {
    const target = await sqliteFile(contacts)
    const organization = await makeOrganization(started)
    const other = await clientOfUser(started, { organizationId: organization, role: 'organization_admin' })
    const hidden = await connectionTo(target)
    const open = await connectionTo(target, { organization_ids: [organization] })

    const { data } = await other.workbench<DatabaseSource[]>('GET', '/database_sources')

    expect(data.map(({ id }) => id)).toContain(open)
    expect(data.map(({ id }) => id)).not.toContain(hidden)
    const asked = { database_connection_id: hidden, query }
    expect(await other.workbench('POST', '/database_uploads', asked)).toMatchObject({
      error_code: 'not_found'
    })
  })
})

describe('a repeated import', () => {
  async function repeated(target: DatabaseTarget, asked = query) {
    const { list, source, reading } = await readRows(target, asked)
    const schedule = expectSuccess(
      await window<ImportSchedule>('POST', `/mailing_lists/${list.id}/import_schedules`, {
        ...source,
        ...{ reading, every_minutes: 60, overwrite: true, overwrite_what: { custom_fields: true } }
      })
    )
    const path = `/import_schedules/${schedule.id}`
    return {
      list,
      source,
      path,
      now: async () => expectSuccess(await window<ImportSchedule>('PUT', path, { begins_now: true })),
      current: async (): Promise<ImportSchedule> => {
        const all = await window<ImportSchedule[]>('GET', `/mailing_lists/${list.id}/import_schedules`)
        return expectSuccess(all).find(({ id }) => id === schedule.id) ?? schedule
      },
      schedule
    }
  }

  it('begins the first time after its interval, and reads the rows anew each time', async () => {
    const target = await sqliteFile(contacts)
    const { list, schedule, now, current } = await repeated(target)
    expect(Date.parse(schedule.next_at) - Date.now()).toBeGreaterThan(59 * 60_000)

    await now()
    await until(async () => (await current()).last_import_id !== null)
    const first = (await current()).last_import_id ?? 0
    await untilImported(first)
    const file = new Database(target.database)
    file.exec(
      "UPDATE contacts SET name = 'Anne' WHERE id = 1; INSERT INTO contacts VALUES (4, 'dora@example.org', 'Dora')"
    )
    file.close()
    await now()
    await until(async () => (await current()).last_import_id !== first)
    await untilImported((await current()).last_import_id ?? 0)

    expect(await namesOn(list.id)).toEqual([
      ['anna@example.org', 'Anne'],
      ['ben@example.org', 'Ben, "the" second'],
      ['carl@example.org', null],
      ['dora@example.org', 'Dora']
    ])
  })

  it('uses the fields that its first run has created', async () => {
    const target = await sqliteFile(contacts)
    const { list, now, current } = await repeated(target, 'SELECT email, name AS nickname FROM contacts')
    const imported = async (before: number | null): Promise<number> => {
      await now()
      await until(async () => (await current()).last_import_id !== before)
      const { id } = await untilImported((await current()).last_import_id ?? 0)
      return id
    }

    await imported(await imported(null))

    expect((await current()).fault).toBeNull()
    const subscribers = await allSubscribers(started.api, list.id)
    expect(subscribers.map(({ custom_fields }) => custom_fields['nickname']?.value)).toEqual([
      'Anna',
      'Ben, "the" second',
      null
    ])
  })

  it('does not import columns that have changed, and says which', async () => {
    const target = await sqliteFile(contacts)
    const { list, schedule, now, current } = await repeated(target, 'SELECT * FROM contacts')
    const file = new Database(target.database)
    file.exec('ALTER TABLE contacts ADD COLUMN phone TEXT')
    file.close()

    await now()
    await until(async () => (await current()).fault !== null)

    expect((await current()).fault).toMatchObject({
      rule: 'query_columns_changed',
      params: { columns: ['id', 'email', 'name'], found: ['id', 'email', 'name', 'phone'] }
    })
    const failing = {
      work: 'import_schedule',
      id: schedule.id,
      mailing_list: { id: list.id, name: list.name }
    }
    const faultsFor = async (api: Client) =>
      expectSuccess(await api.workbench<DatabaseFault[]>('GET', '/database_faults'))
    expect(await faultsFor(started.api)).toContainEqual(expect.objectContaining(failing))
    expect(await faultsFor(await clientOfUser(started, { permissions: {} }))).toEqual([])
    expect(await allSubscribers(started.api, list.id)).toEqual([])
  })

  it('can get another query for the same columns, and another interval', async () => {
    const target = await sqliteFile(contacts)
    const { list, path, now, current } = await repeated(target)

    expect(await window('PUT', path, { query: 'SELECT email FROM contacts' })).toMatchObject({
      error_code: 'validation_failed',
      error_message: expect.stringContaining('email') as string
    })
    const where = (condition: string): string => query.replace('contacts', `contacts WHERE ${condition}`)
    expect(await window('PUT', path, { query: where('absent') })).toMatchObject({
      error_code: 'validation_failed',
      error_message: expect.stringContaining('no such column: absent') as string
    })
    expect(await current()).toMatchObject({ query, every_minutes: 60 })

    const changes = { query: where('id > 1'), every_minutes: 1440 }
    expect(await window('PUT', path, changes)).toMatchObject({ success: true, data: changes })
    await now()
    await until(async () => (await current()).last_import_id !== null)
    await untilImported((await current()).last_import_id ?? 0)
    expect(await namesOn(list.id)).toEqual([
      ['ben@example.org', 'Ben, "the" second'],
      ['carl@example.org', null]
    ])
  })

  it('imports nothing by a query that was changed while it ran', async () => {
    const slow = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000)
      SELECT email, name AS first_name FROM contacts WHERE (SELECT MAX(i) FROM n) > 0 ORDER BY id`
    const { list, path, now, current } = await repeated(await sqliteFile(contacts), slow)

    await now()
    expectSuccess(await window('PUT', path, { query: query.replace('contacts', 'contacts WHERE id = 3') }))
    await until(async () => (await current()).last_import_id !== null)
    await untilImported((await current()).last_import_id ?? 0)

    expect(await namesOn(list.id)).toEqual([['carl@example.org', null]])
  })

  it('goes on failing until its query is corrected, and is then tried at once', async () => {
    const target = await sqliteFile(contacts)
    const { path, now, current } = await repeated(target)
    const file = new Database(target.database)
    file.exec('ALTER TABLE contacts RENAME TO people')
    file.close()
    await now()
    await until(async () => (await current()).fault !== null)
    const { next_at, fault } = await current()

    expect(await window('PUT', path, { query, every_minutes: 60 })).toMatchObject({
      data: { next_at, fault }
    })
    expectSuccess(await window('PUT', path, { query: query.replace('contacts', 'people') }))
    await until(async () => (await current()).last_import_id !== null)

    expect(await current()).toMatchObject({ fault: null })
  })

  it('can be paused and deleted, and keeps its connection from being deleted', async () => {
    const { source, path, current } = await repeated(await sqliteFile(contacts))

    expect(await started.api.delete(`/database_connections/${source.database_connection_id}`)).toMatchObject({
      success: false
    })
    await window('PUT', path, { is_enabled: false })
    expect(await current()).toMatchObject({ is_enabled: false, last_import_id: null })
    expectSuccess(await window('DELETE', path))
    expectSuccess(await started.api.delete(`/database_connections/${source.database_connection_id}`))
  })
})
