import Database from 'better-sqlite3'
import { renameSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { DatabaseTarget } from '../../src-main/remote-databases/remote-database.ts'
import type { WriteBack } from '../../src-main/write-back/schema.ts'
import { sharedApplication, startApplication } from '../support/application.ts'
import { bounceReport, tokenOf } from '../support/bounce-report.ts'
import { deleteList, expectSuccess, makeList } from '../support/builders.ts'
import { hasDatabases, mariadb, postgresql } from '../support/databases.ts'
import { mailServer } from '../support/mail-server.ts'
import { remoteListOn, sendQuery, sqliteFile } from '../support/remote-lists.ts'
import { routeTo, shortSchedule, until, untilState } from '../support/smtp-route.ts'

const started = sharedApplication({
  retrySchedule: shortSchedule,
  writeBackSchedule: { delay: 0, pauses: [100] }
})

const contacts = "INSERT INTO contacts VALUES (7, 'anna@example.org', 'Anna'), (8, 'Zoë@example.org', NULL)"
const query = 'SELECT email, id AS distinct_id FROM contacts ORDER BY id'

function writeBackOf(listId: number): Promise<WriteBack> {
  return started.api.get<WriteBack>(`/mailing_lists/${listId}/write_back`).then(expectSuccess)
}

async function turnOn(listId: number, changes: object = {}): Promise<WriteBack> {
  const write_back = { is_enabled: true, ...changes }
  return expectSuccess(
    await started.api.put<WriteBack>(`/mailing_lists/${listId}/write_back`, { write_back })
  )
}

interface Sent {
  listId: number
  campaignId: number
  /** By address. */
  messages: Map<string, string>
}

/** A campaign to all contacts of a database by SMTP. */
async function sent(target: DatabaseTarget): Promise<Sent> {
  const server = await mailServer()
  await routeTo(started.api, server.port)
  const list = await remoteListOn(started.api, target)
  const { id } = await sendQuery(started.api, list.id, query)
  await untilState(started.api, id, 'finished')
  const messages = new Map(server.received.map(({ to, content }) => [String(to), content]))
  return { listId: list.id, campaignId: id, messages }
}

async function receive(message: string): Promise<void> {
  const answer = await started.api.raw('/ga/api/v2/received_messages', { method: 'POST', body: message })
  expect(answer.status).toBe(200)
}

async function unsubscribe(message = ''): Promise<void> {
  const token = /unsubscribe%20([\w-]+)/.exec(message.replaceAll(/\r\n[ \t]/g, ''))?.[1] ?? ''
  await receive(`From: a@example.org\r\nTo: news@example.com\r\nSubject: unsubscribe ${token}\r\n\r\n`)
}

type Removal = Record<string, string | number | null>

function rowsOf({ database }: DatabaseTarget): Removal[] {
  const file = new Database(database, { readonly: true })
  const rows = file.prepare<[], Removal>('SELECT * FROM listwright_removals ORDER BY rowid').all()
  file.close()
  return rows
}

async function createTable({ database }: DatabaseTarget, listId: number): Promise<void> {
  const file = new Database(database)
  file.exec((await writeBackOf(listId)).create_sql ?? '')
  file.close()
}

describe('the removals of a Remote List', () => {
  it('are not written back unless that is wanted, and then all of them, in their order', async () => {
    const target = await sqliteFile(contacts)
    const { listId, campaignId, messages } = await sent(target)
    await createTable(target, listId)
    await unsubscribe(messages.get('anna@example.org'))
    await receive(bounceReport('Zoë@example.org', tokenOf(messages.get('Zoë@example.org'))))
    expect(await writeBackOf(listId)).toMatchObject({ is_enabled: false, waiting: 2, written_at: null })
    expect(rowsOf(target)).toEqual([])

    await turnOn(listId)
    await until(async () => (await writeBackOf(listId)).waiting === 0)

    const shared = { mailing_list_id: listId, campaign_id: campaignId }
    expect(rowsOf(target)).toMatchObject([
      { reason: 'unsubscribe', email: 'anna@example.org', distinct_id: 7, bounce_type: null, ...shared },
      {
        reason: 'bounce',
        email: 'Zoë@example.org',
        distinct_id: 8,
        bounce_type: 'hard',
        bounce_code: '5.1.1',
        ...shared
      }
    ])
    expect(rowsOf(target)[0]?.['event_id']).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    )
    expect(rowsOf(target)[0]?.['occurred_at']).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/)
  })

  it('wait while the database is away, say why, and are written once it is back', async () => {
    const target = await sqliteFile(contacts)
    const { listId, messages } = await sent(target)
    await turnOn(listId)
    await unsubscribe(messages.get('anna@example.org'))
    await until(async () => (await writeBackOf(listId)).error_message !== null)
    expect((await writeBackOf(listId)).error_message).toMatch(
      /^the database CRM \d+ does not let Listwright write into the table: “no such table: listwright_removals”/
    )

    renameSync(target.database, `${target.database}-away`)
    await until(async () => /cannot be reached/.test((await writeBackOf(listId)).error_message ?? ''))
    renameSync(`${target.database}-away`, target.database)
    await createTable(target, listId)
    await until(async () => (await writeBackOf(listId)).waiting === 0)

    expect(rowsOf(target)).toHaveLength(1)
    expect(await writeBackOf(listId)).toMatchObject({ error_message: null })
  })

  it('need no row for their table to be tried: turning write-back on does it, and so does another table', async () => {
    const target = await sqliteFile(contacts)
    const list = await remoteListOn(started.api, target)
    const untilSaid = (pattern: RegExp) =>
      until(async () => pattern.test((await writeBackOf(list.id)).error_message ?? ''))

    expect(await turnOn(list.id)).toMatchObject({ checked_at: null })
    await untilSaid(/no such table: listwright_removals/)
    await createTable(target, list.id)
    await until(async () => (await writeBackOf(list.id)).checked_at !== null)
    expect(await writeBackOf(list.id)).toMatchObject({ error_message: null, written_at: null })
    expect(rowsOf(target)).toEqual([])

    expect(await turnOn(list.id, { table_name: 'contacts' })).toMatchObject({ checked_at: null })
    await untilSaid(/no column named event_id/)
  })

  it('have their table tried at once after a change of the database, and after the list is restored', async () => {
    // In an application of its own: others that are tried again would have this one looked at, too.
    const { api } = await startApplication(undefined, { writeBackSchedule: { delay: 0, pauses: [60_000] } })
    const [target, other] = [await sqliteFile(), await sqliteFile()]
    const [list, { database_connection_id: otherId }] = [
      await remoteListOn(api, target),
      await remoteListOn(api, other)
    ]
    const path = `/mailing_lists/${list.id}/write_back`
    const current = async () => expectSuccess(await api.get<WriteBack>(path))
    const moveTo = async (database_connection_id: number | null) => {
      // What was stored before has the job looked at for a moment.
      await pause(500)
      expectSuccess(await api.put(`/mailing_lists/${list.id}`, { mailing_list: { database_connection_id } }))
    }
    const { create_sql } = await current()
    const change = ({ database }: DatabaseTarget, sql: string) => {
      const file = new Database(database)
      file.exec(sql)
      file.close()
    }
    change(other, create_sql ?? '')

    await api.put(path, { write_back: { is_enabled: true } })
    await until(async () => (await current()).error_message !== null)
    await moveTo(otherId)
    await until(async () => (await current()).checked_at !== null)
    expect(await current()).toMatchObject({ error_message: null })
    await moveTo(list.database_connection_id)
    await until(async () => (await current()).error_message !== null)

    await moveTo(otherId)
    await until(async () => (await current()).checked_at !== null)
    change(other, 'DROP TABLE listwright_removals')
    const database_connection = { name: 'Renamed' }
    expectSuccess(await api.put(`/database_connections/${otherId}`, { database_connection }))
    await until(async () => /Renamed/.test((await current()).error_message ?? ''))

    await deleteList(api, list.id)
    change(other, create_sql ?? '')
    expectSuccess(await api.workbench('POST', `/deleted_records/mailing_list/${list.id}/restore`))
    await until(async () => (await current()).checked_at !== null)
  })

  it('keep recipients out of campaigns until the database knows of them', async () => {
    const target = await sqliteFile(contacts)
    const { listId, messages } = await sent(target)
    await createTable(target, listId)
    await unsubscribe(messages.get('anna@example.org'))
    const recipients = async (): Promise<number | undefined> => {
      const { id } = await sendQuery(started.api, listId, query)
      return (await untilState(started.api, id, 'finished')).stat_summary?.messages_sent
    }

    expect(await recipients()).toBe(1)
    await turnOn(listId)
    await until(async () => (await writeBackOf(listId)).waiting === 0)
    expect(await recipients()).toBe(2)
  })

  it('keep recipients out of a campaign that was reading before the database knew of them', async () => {
    const target = await sqliteFile(contacts)
    const { listId, messages } = await sent(target)
    await createTable(target, listId)
    await turnOn(listId)
    const server = await mailServer()
    await routeTo(started.api, server.port)
    const { id } = await sendQuery(started.api, listId, query, { dispatch_attributes: { speed: 1800 } })
    await until(() => server.received.length === 1)
    expectSuccess(await started.api.post(`/campaigns/${id}/pause`))

    await unsubscribe(messages.get('Zoë@example.org'))
    await until(async () => (await writeBackOf(listId)).waiting === 0)
    expectSuccess(await started.api.post(`/campaigns/${id}/resume`))
    await untilState(started.api, id, 'finished')

    expect(rowsOf(target)).toHaveLength(1)
    expect(server.received.map(({ to }) => to)).toEqual(['anna@example.org'])
  })

  it('keep recipients out, and are written again, when their list gets another database', async () => {
    const target = await sqliteFile(contacts)
    const other = await sqliteFile(contacts)
    const { listId, messages } = await sent(target)
    await createTable(target, listId)
    await turnOn(listId)
    await unsubscribe(messages.get('anna@example.org'))
    await until(async () => (await writeBackOf(listId)).waiting === 0)

    const { database_connection_id } = await remoteListOn(started.api, other)
    expectSuccess(
      await started.api.put(`/mailing_lists/${listId}`, { mailing_list: { database_connection_id } })
    )
    const { id } = await sendQuery(started.api, listId, query)

    expect((await untilState(started.api, id, 'finished')).stat_summary?.messages_sent).toBe(1)
    await createTable(other, listId)
    await until(async () => (await writeBackOf(listId)).waiting === 0)
    expect(rowsOf(other)).toMatchObject([{ email: 'anna@example.org' }])
  })

  it('are written again when their list gets another database while they are written', async () => {
    const target = await sqliteFile(contacts)
    const other = await sqliteFile(contacts)
    const { listId, messages } = await sent(target)
    await createTable(target, listId)
    await turnOn(listId)
    const file = new Database(target.database)
    file.exec('BEGIN IMMEDIATE')
    await unsubscribe(messages.get('anna@example.org'))
    // Now the row waits for the lock.
    await pause(1000)

    const { database_connection_id } = await remoteListOn(started.api, other)
    expectSuccess(
      await started.api.put(`/mailing_lists/${listId}`, { mailing_list: { database_connection_id } })
    )
    await createTable(other, listId)
    file.exec('COMMIT')
    file.close()
    await until(async () => (await writeBackOf(listId)).waiting === 0)

    expect(rowsOf(target)).toMatchObject([{ email: 'anna@example.org' }])
    expect(rowsOf(other)).toMatchObject([{ email: 'anna@example.org' }])
  })

  it('are written again when the change of a database is undone', async () => {
    const target = await sqliteFile(contacts)
    const other = await sqliteFile(contacts)
    const { listId, messages } = await sent(target)
    await createTable(target, listId)
    const { database_connection_id } = await remoteListOn(started.api, other)
    expectSuccess(
      await started.api.put(`/mailing_lists/${listId}`, { mailing_list: { database_connection_id } })
    )
    await createTable(other, listId)
    await turnOn(listId)
    await unsubscribe(messages.get('anna@example.org'))
    await until(async () => (await writeBackOf(listId)).waiting === 0)
    expect([rowsOf(target).length, rowsOf(other).length]).toEqual([0, 1])

    const log = `/audit_log?entity=mailing_list&record_id=${listId}`
    const { events } = expectSuccess(await started.api.workbench<{ events: { id: number }[] }>('GET', log))
    expectSuccess(await started.api.workbench('POST', `/changes/${events[0]?.id}/undo`))
    await until(async () => (await writeBackOf(listId)).waiting === 0)

    expect(rowsOf(target)).toMatchObject([{ email: 'anna@example.org' }])
  })

  it('are written up to the one that the database refuses, which is named', async () => {
    const target = await sqliteFile(contacts)
    const { listId, messages } = await sent(target)
    await createTable(target, listId)
    const file = new Database(target.database)
    file.exec(`CREATE TRIGGER no_bounces BEFORE INSERT ON listwright_removals WHEN NEW.reason = 'bounce'
      BEGIN SELECT RAISE(ABORT, 'no bounces here'); END`)
    await unsubscribe(messages.get('anna@example.org'))
    await receive(bounceReport('Zoë@example.org', tokenOf(messages.get('Zoë@example.org'))))

    await turnOn(listId)
    await until(async () => (await writeBackOf(listId)).error_message !== null)

    expect(rowsOf(target)).toMatchObject([{ email: 'anna@example.org' }])
    expect(await writeBackOf(listId)).toMatchObject({
      ...{ waiting: 1, checked_at: null },
      error_message: expect.stringMatching(
        /^the row of Zoë@example\.org cannot be written, and later ones wait until the table takes it: the database CRM \d+ refuses .*no bounces here/
      ) as string
    })
    file.exec('DROP TRIGGER no_bounces')
    file.close()
    await until(async () => (await writeBackOf(listId)).waiting === 0)
    expect(rowsOf(target)).toHaveLength(2)
  })

  it('need a Remote List to be written back', async () => {
    const local = await makeList(started.api)

    expect(await started.api.get(`/mailing_lists/${local.id}/write_back`)).toMatchObject({
      error_code: 'invalid_request'
    })
  })

  it('are written into a table of any schema, and into nothing that is not the name of one', async () => {
    const remote = await remoteListOn(started.api, await sqliteFile())
    const named = (table_name: string) =>
      started.api.put(`/mailing_lists/${remote.id}/write_back`, { write_back: { table_name } })
    expect(await named('a; DROP TABLE b')).toMatchObject({ error_code: 'validation_failed' })
    expect(await named('public.removals')).toMatchObject({ data: { table_name: 'public.removals' } })
  })

  it.skipIf(!hasDatabases && process.env['CI'] !== 'true')(
    'go into PostgreSQL and MariaDB by the statement that creates their table',
    { timeout: 60_000 },
    async () => {
      for (const server of [await postgresql(), await mariadb()]) {
        server.run(
          `CREATE TABLE contacts (id INT, email VARCHAR(100)); ${contacts.replaceAll(/, '?(Anna|NULL)'?\)/g, ')')}`
        )
        const { engine } = server.target
        const grant = (what: string) =>
          server.run(`GRANT ${what} TO ${engine === 'postgresql' ? 'anna' : "anna@'127.0.0.1'"}`)
        // As little as the documents say.
        if (engine === 'mysql') server.run("REVOKE ALL ON crm.* FROM anna@'127.0.0.1'")
        grant('SELECT ON contacts')
        const { listId, messages } = await sent(server.target)
        const { create_sql } = await turnOn(listId, { is_enabled: false, table_name: 'CRM2.Removals' })
        if (engine === 'postgresql') server.run('CREATE SCHEMA "CRM2"; GRANT USAGE ON SCHEMA "CRM2" TO anna')
        else server.run('CREATE DATABASE `CRM2`')
        server.run(create_sql ?? '')
        const table = engine === 'postgresql' ? '"CRM2"."Removals"' : '`CRM2`.`Removals`'
        grant(`SELECT ON ${table}`)
        await turnOn(listId)
        await until(async () =>
          /permission denied|INSERT command denied/.test((await writeBackOf(listId)).error_message ?? '')
        )
        grant(`INSERT ON ${table}`)
        await until(async () => (await writeBackOf(listId)).checked_at !== null)
        expect(server.run(`SELECT COUNT(*) FROM ${table}`)).toBe('0')
        await unsubscribe(messages.get('anna@example.org'))
        await receive(bounceReport('Zoë@example.org', tokenOf(messages.get('Zoë@example.org'))))
        await until(async () => (await writeBackOf(listId)).waiting === 0)

        const rows = server.run(`SELECT reason, email, distinct_id FROM ${table} ORDER BY event_id`)
        expect(rows.split('\n').map((row) => row.split(/[|\t]/))).toEqual([
          ['unsubscribe', 'anna@example.org', '7'],
          ['bounce', 'Zoë@example.org', '8']
        ])
      }
    }
  )
})
