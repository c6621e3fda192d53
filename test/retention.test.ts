import SQLite from 'better-sqlite3'
import type { Kysely } from 'kysely'
import { existsSync } from 'node:fs'
import { rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openForReading, kyselyOver } from '../src-main/database/connection.ts'
import type { Schema } from '../src-main/database/schema.ts'
import type { Writer } from '../src-main/database/writer.ts'
import { Housekeeper } from '../src-main/jobs/housekeeper.ts'
import { retentionRules } from '../src-main/retention-rules.ts'
import { startWriter } from '../src-main/start-writer.ts'
import { type StartedApplication, startApplication } from './support/application.ts'
import {
  deleteList,
  importText,
  makeAutoresponder,
  makeCampaign,
  makeList,
  makeSubscriber
} from './support/builders.ts'
import type { Client } from './support/client.ts'
import { act, select } from './support/bulk-actions.ts'
import { commandBench } from './support/commands.ts'
import { addRemote, runSync } from './support/sync.ts'

const day = 24 * 60 * 60 * 1000

/** The application as it is so many days after its end. */
async function later({ app, dataDirectory }: StartedApplication) {
  await app.close()
  const databasePath = join(dataDirectory, 'listwright.db')
  const writer: Writer = await startWriter({ databasePath, backupDirectory: dataDirectory })
  const reader: Kysely<Schema> = kyselyOver(openForReading(databasePath))
  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) await Promise.all([reader.destroy(), writer.close()])
    isOpen = false
  }
  onTestFinished(close)
  const now = Date.now()
  const housekeeper = new Housekeeper(
    retentionRules(reader, writer, dataDirectory, () => undefined),
    () => Promise.resolve(true)
  )
  return { reader, close, tidyAfter: (days: number) => housekeeper.tidy(now + days * day) }
}

/** The id of an export that has finished. */
async function makeExport(api: Client): Promise<number> {
  const list = await makeList(api)
  await makeSubscriber(api, list.id, 'a@example.com')
  const { data } = await api.post<{ id: number }>(`/mailing_lists/${list.id}/subscriber_exports`, {
    subscriber_export: {}
  })
  return (await api.exported(data.id)).id
}

it('the logs of an import stay for 7 days, and so does what undoing it needs', async () => {
  const started = await startApplication()
  const list = await makeList(started.api)
  const done = await importText(started.api, list.id, 'email\na@example.com\n', { column_mapping: ['email'] })
  const logs = join(started.dataDirectory, 'imports', String(done.id))
  expect(existsSync(logs)).toBe(true)
  const { reader, tidyAfter } = await later(started)
  const kept = async () => ({
    logs: existsSync(logs),
    ...(await reader
      .selectFrom('subscriber_imports')
      .select((select) => [
        select('logs_purged_at', 'is', null).as('isThere'),
        select.selectFrom('import_changes').select(select.fn.countAll().as('count')).as('changes')
      ])
      .executeTakeFirstOrThrow())
  })
  await tidyAfter(6.9)
  expect(await kept()).toEqual({ logs: true, isThere: 1, changes: 1 })
  await tidyAfter(7.1)
  expect(await kept()).toEqual({ logs: false, isThere: 0, changes: 0 })
})

it('logs of an import that ended 7 days ago are not found, also where nothing has removed them yet', async () => {
  const { api, dataDirectory } = await startApplication()
  const list = await makeList(api)
  const { id } = await importText(api, list.id, 'email\na@example.com\n', { column_mapping: ['email'] })
  const statusOf = async () =>
    (await api.raw(`/ga/api/v2/subscriber_imports/${id}/logs/added`)).headers.get('content-type')
  expect(await statusOf()).toContain('text/plain')
  const database = new SQLite(join(dataDirectory, 'listwright.db'))
  const ended = database.prepare('UPDATE subscriber_imports SET finished_at = ? WHERE id = ?')
  ended.run(Date.now() - 7 * day + 60_000, id)
  expect(await statusOf()).toContain('text/plain')
  ended.run(Date.now() - 7 * day - 1, id)
  database.close()
  expect(await api.get(`/subscriber_imports/${id}/logs/added`)).toMatchObject({ error_code: 'not_found' })
  expect(existsSync(join(dataDirectory, 'imports', String(id)))).toBe(true)
})

it('the file of an export stays for 30 days', async () => {
  const first = await startApplication()
  const file = join(first.dataDirectory, 'exports', `${await makeExport(first.api)}.csv`)
  const { tidyAfter } = await later(first)
  await tidyAfter(29.9)
  expect(existsSync(file)).toBe(true)
  await tidyAfter(30.1)
  expect(existsSync(file)).toBe(false)
})

it('a file that no campaign carries any more stays for 7 days', async () => {
  const started = await startApplication()
  const { api } = started
  const list = await makeList(api)
  const paths: string[] = []
  for (const text of ['a', 'b']) {
    const { id } = await makeCampaign(api, list.id)
    const file = { method: 'POST', body: text }
    const answer = await api.raw(`/ga/api/v2/campaigns/${id}/attachments?name=a.txt`, file)
    const { data } = (await answer.json()) as { data: { id: number } }
    paths.push(`/campaigns/${id}/attachments/${data.id}`)
  }
  await api.delete(paths[0] ?? '')
  const { reader, tidyAfter } = await later(started)
  const files = () => reader.selectFrom('attachment_files').select('size').execute()

  await tidyAfter(0)
  await tidyAfter(6.9)
  expect(await files()).toHaveLength(2)
  await tidyAfter(7.1)
  expect(await files()).toHaveLength(1)
})

it('the download of an export whose file was removed says so', async () => {
  const { api, dataDirectory } = await startApplication()
  const id = await makeExport(api)
  const database = new SQLite(join(dataDirectory, 'listwright.db'))
  database.exec('UPDATE subscriber_exports SET file_removed_at = 1')
  database.close()
  expect(await api.get(`/subscriber_exports/${id}/download`)).toMatchObject({
    error_code: 'not_found',
    error_message: `the file of subscriber export ${id} was removed 30 days after it was finished. Export again`
  })
})

it('messages of a campaign stay for 7 days after it was deleted, those of others as long as it is there', async () => {
  const first = await startApplication()
  const { api, dataDirectory } = first
  const list = await makeList(api)
  await makeSubscriber(api, list.id, 'a@example.com')
  const dispatch_attributes = { from_email: 'a@example.com', begins_at: Math.floor(Date.now() / 1000) }
  const [kept, deleted] = [
    await makeCampaign(api, list.id, { dispatch_attributes }),
    await makeCampaign(api, list.id, { dispatch_attributes })
  ]
  await Promise.all([api.sent(kept.id), api.sent(deleted.id)])
  await api.delete(`/campaigns/${deleted.id}`)
  const outboxOf = (id: number): boolean => existsSync(join(dataDirectory, 'outbox', `campaign-${id}.mbox`))
  expect([outboxOf(kept.id), outboxOf(deleted.id)]).toEqual([true, true])
  const { tidyAfter } = await later(first)
  await tidyAfter(6.9)
  expect([outboxOf(kept.id), outboxOf(deleted.id)]).toEqual([true, true])
  await tidyAfter(400)
  expect([outboxOf(kept.id), outboxOf(deleted.id)]).toEqual([true, false])
})

it('lists and campaigns can be restored for 7 days, after which what they held is removed', async () => {
  const first = await startApplication()
  const { api, dataDirectory } = first
  const list = await makeList(api)
  await makeSubscriber(api, list.id, 'a@example.com')
  await deleteList(api, list.id)
  const left = (): unknown => {
    const database = new SQLite(join(dataDirectory, 'listwright.db'), { readonly: true })
    const found = database.prepare('SELECT count(*) FROM subscribers').pluck().get()
    database.close()
    return found
  }
  const { tidyAfter, close } = await later(first)
  await tidyAfter(6.9)
  await close()
  const second = await startApplication(dataDirectory)
  expect((await second.api.workbench<unknown[]>('GET', '/deleted_lists')).data).toHaveLength(1)
  expect(left()).toBe(1)
  const third = await later(second)
  await third.tidyAfter(7.1)
  await third.close()
  const last = await startApplication(dataDirectory)
  expect((await last.api.workbench<unknown[]>('GET', '/deleted_lists')).data).toEqual([])
  await vi.waitFor(() => expect(left()).toBe(0), 5000)
})

it('rows of deleted and edited records stay in the change log for 7 days, what was changed for longer', async () => {
  const first = await startApplication()
  const { api } = first
  const list = await makeList(api)
  const { id } = await makeCampaign(api, list.id)
  const html = `<p>${'long '.repeat(200)}</p>`
  await api.put(`/campaigns/${id}`, {
    campaign: { name: 'New', contents: [{ subject: 'x', format: 'html', html, text: '' }] }
  })
  await api.delete(`/campaigns/${id}`)
  const seed_list = { name: 'Seeds', addresses_array: ['a@example.com'] }
  const seeds = (await api.post<{ id: number }>('/seed_lists', { seed_list })).data
  await api.put(`/seed_lists/${seeds.id}`, { seed_list: { addresses_array: ['b@example.com'] } })
  await api.delete(`/seed_lists/${seeds.id}`)
  const { reader, tidyAfter } = await later(first)
  const details = async () => {
    const rows = await reader
      .selectFrom('change_log')
      .select('details')
      .where('entity', 'in', ['campaign', 'seed_list'])
      .where('details', 'is not', null)
      .orderBy('id')
      .execute()
    return rows.map(({ details }) => JSON.parse(details ?? '') as Record<string, unknown>)
  }
  await tidyAfter(6.9)
  expect(JSON.stringify(await details())).toContain('long long')
  await tidyAfter(7.1)
  expect(await details()).toEqual([
    { edited: { columns: { name: [expect.any(String), 'New'] }, parts: { campaign_contents: [[], []] } } },
    { name: 'New' },
    { edited: { columns: { addresses: [null, null] }, parts: {} } },
    { name: 'Seeds' }
  ])
})

it('previews stay for 30 days after the last of them', async () => {
  const first = await startApplication()
  const list = await makeList(first.api)
  const { id } = await makeCampaign(first.api, list.id)
  const preview = await first.api.post(`/campaigns/${id}/send_preview`, {
    preview: { recipients: ['a@example.com'] }
  })
  expect(preview.error_message).toBeNull()
  const file = join(first.dataDirectory, 'outbox', 'previews-1.mbox')
  const { tidyAfter } = await later(first)
  await tidyAfter(29.9)
  expect(existsSync(file)).toBe(true)
  await tidyAfter(30.1)
  expect(existsSync(file)).toBe(false)
})

it('a copy of an uploaded file stays for 30 days after its last import, and what people put beside it stays', async () => {
  const first = await startApplication()
  const { api, dataDirectory } = first
  const list = await makeList(api)
  for (const name of ['imported.csv', 'unused.csv', 'replaced.csv', 'removed.csv']) {
    await api.raw(`/app/v1/uploads/${name}`, { method: 'PUT', body: 'email\na@example.com\n' })
  }
  const pathOf = (name: string): string => join(dataDirectory, 'uploads', name)
  await writeFile(pathOf('own.csv'), 'email\nb@example.com\n')
  const inAnHour = new Date(Date.now() + 60 * 60 * 1000)
  await utimes(pathOf('replaced.csv'), inAnHour, inAnHour)
  const begins = Math.floor(Date.now() / 1000) + 3600
  const { error_message } = await api.post(`/mailing_lists/${list.id}/subscriber_imports`, {
    subscriber_import: {
      begins_at: begins,
      column_mapping: ['email'],
      file_source: { type: 'upload_directory', filename: 'imported.csv' }
    }
  })
  expect(error_message).toBeNull()
  const there = (): string[] =>
    ['imported.csv', 'unused.csv', 'replaced.csv', 'own.csv'].filter((name) => existsSync(pathOf(name)))
  await rm(pathOf('removed.csv'))
  const { reader, tidyAfter } = await later(first)
  await tidyAfter(29.9)
  expect(there()).toEqual(['imported.csv', 'unused.csv', 'replaced.csv', 'own.csv'])
  await tidyAfter(30.1)
  expect(there()).toEqual(['imported.csv', 'replaced.csv', 'own.csv'])
  expect(await reader.selectFrom('upload_copies').select('path').execute()).toEqual([
    { path: 'uploads/imported.csv' }
  ])
})

it('the change log goes back 90 days, and never reuses an id', async () => {
  const first = await startApplication()
  const list = await makeList(first.api)
  await importText(first.api, list.id, 'email\na@example.com\n')
  const { reader, tidyAfter } = await later(first)
  const ids = async (): Promise<number[]> =>
    (await reader.selectFrom('change_log').select('id').orderBy('id').execute()).map(({ id }) => id)
  const before = await ids()
  expect(before.length).toBeGreaterThan(3)
  await tidyAfter(89.9)
  expect(await ids()).toEqual(before)
  await tidyAfter(90.1)
  expect(await ids()).toEqual(before.slice(-1))
})

it('the change log stays for as many days as the settings say', async () => {
  const first = await startApplication()
  const list = await makeList(first.api)
  await makeSubscriber(first.api, list.id, 'a@example.com')
  const set = (service_history_days: number) =>
    first.api.workbench('PUT', '/settings', { service_history_days })
  expect((await set(6)).error_message).toContain('service_history_days')
  expect((await set(3650)).success).toBe(true)
  expect((await set(200)).success).toBe(true)
  const { reader, tidyAfter } = await later(first)
  const count = async (): Promise<number> =>
    (await reader.selectFrom('change_log').select('id').execute()).length
  const before = await count()
  await tidyAfter(199.9)
  expect(await count()).toBe(before)
  await tidyAfter(200.1)
  expect(await count()).toBe(1)
})

it('a change log that is long is trimmed bit by bit', async () => {
  const bench = await commandBench()
  bench.sqlite.exec(`
    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 5000)
    INSERT INTO change_log (id, at, entity, action, organization_id, mailing_list_id, first_id, last_id)
    SELECT n, n, 'subscriber', 'update', 1, 1, n, n FROM n`)
  const trim = (): Promise<unknown> => bench.run('changeLog.trim', { before: 4501 })
  const oldest = (): unknown => bench.sqlite.prepare('SELECT min(id) FROM change_log').pluck().get()
  expect([await trim(), oldest()]).toEqual([true, 2001])
  expect([await trim(), oldest()]).toEqual([true, 4001])
  expect([await trim(), oldest()]).toEqual([false, 4501])
})

it('the queue of a deleted autoresponder is emptied bit by bit, and that of others stays', async () => {
  const bench = await commandBench()
  bench.sqlite.exec(`
    PRAGMA foreign_keys = OFF;
    INSERT INTO deleted_autoresponders (id) VALUES (7);
    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 4500)
    INSERT INTO autoresponder_reactions SELECT n, CASE WHEN n > 4400 THEN 8 ELSE 7 END, n, 0, '{}', 0, 0 FROM n`)
  const purge = (): Promise<unknown> => bench.run('autoresponders.purge', { id: 7 })
  const left = (): unknown =>
    bench.sqlite
      .prepare('SELECT count(*), (SELECT count(*) FROM deleted_autoresponders) FROM autoresponder_reactions')
      .raw()
      .get()
  expect([await purge(), left()]).toEqual([true, [2500, 1]])
  expect([await purge(), left()]).toEqual([true, [500, 1]])
  expect([await purge(), left()]).toEqual([false, [100, 0]])
})

it('an autoresponder is deleted at once, and what it still had to send goes after it', async () => {
  const { api, dataDirectory } = await startApplication()
  const list = await makeList(api)
  const autoresponder = await makeAutoresponder(api, list.id, 'Welcome', {
    trigger: 'subscription',
    trigger_run_on_api: true
  })
  await makeSubscriber(api, list.id, 'a@example.com')
  const database = new SQLite(join(dataDirectory, 'listwright.db'), { readonly: true })
  onTestFinished(() => void database.close())
  const queued = (): unknown => database.prepare('SELECT count(*) FROM autoresponder_reactions').pluck().get()
  expect(queued()).toBe(1)
  expect((await api.delete(`/mailing_lists/${list.id}/autoresponders/${autoresponder.id}`)).success).toBe(
    true
  )
  expect((await api.get(`/mailing_lists/${list.id}/autoresponders`)).data).toEqual([])
  await expect.poll(queued).toBe(0)
})

it('the data to undo a bulk action is kept for 7 days, and an unused selection for one day', async () => {
  const first = await startApplication()
  const { api } = first
  const list = await makeList(api)
  await makeSubscriber(api, list.id, 'a@example.com', { status: 'unsubscribed' })
  await makeSubscriber(api, list.id, 'b@example.com', { status: 'bounced' })
  const { id } = await act(api, await select(api, list.id), { kind: 'set_status', status: 'active' })
  await select(api, list.id)
  const { reader, tidyAfter } = await later(first)
  const rowsOf = async (table: 'bulk_action_changes' | 'bulk_action_kept' | 'selected_subscribers') =>
    (await reader.selectFrom(table).selectAll().execute()).length
  const all = async () => [
    await rowsOf('bulk_action_changes'),
    await rowsOf('bulk_action_kept'),
    await rowsOf('selected_subscribers')
  ]
  await tidyAfter(0.9)
  expect(await all()).toEqual([1, 1, 2])
  await tidyAfter(6.9)
  expect(await all()).toEqual([1, 1, 0])
  await tidyAfter(7.1)
  expect(await all()).toEqual([0, 0, 0])
  const row = await reader.selectFrom('bulk_actions').select(['id', 'forgotten_at']).executeTakeFirstOrThrow()
  expect(row.id).toBe(id)
  expect(row.forgotten_at).not.toBeNull()
})

it('an unsubscribe after a deletion is remembered as long as the deletion can be undone', async () => {
  const first = await startApplication()
  const { api, dataDirectory } = first
  const list = await makeList(api)
  await makeSubscriber(api, list.id, 'a@example.com')
  const { id } = await act(api, await select(api, list.id), { kind: 'delete' })
  const database = new SQLite(join(dataDirectory, 'listwright.db'))
  const note = database.prepare("INSERT INTO absent_subscribers VALUES (?, 'unsubscribed', ?)")
  note.run(1, Date.now())
  note.run(2, Date.now() - 30 * day)
  // It takes a long time, such as one that is paused.
  database.prepare('UPDATE bulk_actions SET finished_at = ? WHERE id = ?').run(Date.now() + 10 * day, id)
  database.close()
  const { reader, tidyAfter } = await later(first)
  const known = async () =>
    (await reader.selectFrom('absent_subscribers').select('subscriber_id').execute()).map(
      (row) => row.subscriber_id
    )
  await tidyAfter(0)
  expect(await known()).toEqual([1])
  await tidyAfter(16.9)
  expect(await known()).toEqual([1])
  await tidyAfter(17.1)
  expect(await known()).toEqual([])
})

it('a draft stays for 30 days after it was last changed', async () => {
  const first = await startApplication()
  const draft = { title: '', path: '/', base: '', state: '' }
  await first.api.workbench('PUT', '/drafts/campaign', draft)
  const { reader, tidyAfter } = await later(first)
  const drafts = () => reader.selectFrom('drafts').select('name').execute()
  await tidyAfter(29.9)
  expect(await drafts()).toEqual([{ name: 'campaign' }])
  await tidyAfter(30.1)
  expect(await drafts()).toEqual([])
})

it('the history of a deleted subscriber is kept for 7 days', async () => {
  const first = await startApplication()
  const { api } = first
  const list = await makeList(api)
  const [gone, there] = [
    await makeSubscriber(api, list.id, 'gone@example.com'),
    await makeSubscriber(api, list.id, 'there@example.com')
  ]
  await api.delete(`/mailing_lists/${list.id}/subscribers/${gone.id}`)
  const { reader, tidyAfter } = await later(first)
  const told = async () =>
    (
      await reader
        .selectFrom('change_log')
        .select('first_id')
        .where('entity', '=', 'subscriber')
        .where('details', 'is not', null)
        .execute()
    ).map(({ first_id: id }) => id)
  await tidyAfter(6.9)
  // That they were added, and who they were when they were deleted.
  expect(await told()).toEqual([gone.id, there.id, gone.id])
  await tidyAfter(7.1)
  expect(await told()).toEqual([there.id])
})

it('runs of sync stay for 90 days', async () => {
  const [first, server] = await Promise.all([startApplication(), startApplication()])
  await runSync(first.api, await addRemote(first.api, server))
  const { reader, tidyAfter } = await later(first)
  const runs = () => reader.selectFrom('sync_runs').select('id').execute()
  await tidyAfter(89.9)
  expect(await runs()).toHaveLength(1)
  await tidyAfter(90.1)
  expect(await runs()).toEqual([])
})
