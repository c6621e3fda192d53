import SQLite from 'better-sqlite3'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { SuppressionList } from '../../src-main/api/suppression-lists/schema.ts'
import { startApplication } from '../support/application.ts'
import { importText, makeCampaign, makeField, makeList } from '../support/builders.ts'
import { entryPoint } from '../support/built.ts'
import { outboxOf } from '../support/outbox.ts'

function check(dataDirectory: string, ...more: string[]): Promise<{ status: number; lines: string[] }> {
  const args = [entryPoint, 'check', '--data-dir', dataDirectory, ...more]
  return new Promise((resolve) => {
    execFile(process.execPath, args, (error, stdout) =>
      resolve({ status: Number(error?.code ?? 0), lines: stdout.trimEnd().split('\n') })
    )
  })
}

it('npm run serve -- check counts again beside an application that runs, and names every counter that drifted', async () => {
  const { app, api, dataDirectory } = await startApplication()
  const { id } = await makeList(api)
  const emails = Array.from({ length: 30 }, (_, number) => `p${number}@example.com`)
  await importText(api, id, `email\n${emails.join('\n')}`)
  await api.delete(`/mailing_lists/${id}/subscribers/p7%40example.com`)
  const suppression_list = { name: 'Never' }
  const { data: never } = await api.post<SuppressionList>('/suppression_lists', { suppression_list })
  const path = `/suppression_lists/${never.id}/suppressed_addresses`
  await api.post(`${path}/create_multiple`, { data: ['a@example.org', '@example.net'] })
  await api.delete(`${path}/a%40example.org`)
  const dispatch_attributes = { from_email: 'me@example.com', begins_at: Math.floor(Date.now() / 1000) }
  const html = '<p><a href="https://example.com/">More</a></p>'
  const campaign = await makeCampaign(api, id, {
    dispatch_attributes,
    contents: [{ subject: 'Hello', format: 'html', html }]
  })
  await api.sent(campaign.id)
  const [message] = await outboxOf(dataDirectory, campaign.id)
  const pixel = /src="(http[^"]*\/o\/[^"]+)"/.exec(message?.body ?? '')?.[1] ?? ''
  const link = /href="(http[^"]*\/c\/[^"]+)"/.exec(message?.body ?? '')?.[1] ?? ''
  for (let opened = 0; opened < 2; opened++) expect((await fetch(pixel)).status).toBe(200)
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(302)

  expect(await check(dataDirectory)).toEqual({
    status: 0,
    lines: ['Counted 29 subscribers, 1 suppressed addresses, 3 events of campaigns: every counter agrees.']
  })

  await app.close()
  const database = new SQLite(join(dataDirectory, 'listwright.db'))
  database.exec(`
    UPDATE mailing_list_counts SET subscribers = subscribers + 1 WHERE status = 'active';
    DELETE FROM subscriber_blocks;
    UPDATE subscriber_block_groups SET subscribers = 0;
    UPDATE suppression_lists SET addresses = 5;
    UPDATE stat_counters SET opens_total = 3;
    UPDATE stat_links SET clicks_unique = 7;
  `)
  database.close()
  expect(await check(dataDirectory)).toEqual({
    status: 1,
    lines: [
      'Counted 29 subscribers, 1 suppressed addresses, 3 events of campaigns: counters that differ: 6.',
      `subscribers of mailing list ${id} that are active: 30 recorded, 29 found`,
      `subscribers of mailing list ${id} with ids from 0: 0 recorded, 29 found`,
      `subscribers of mailing list ${id} with ids from 0: 0 recorded, 29 found`,
      `addresses of suppression list ${never.id}: 5 recorded, 1 found`,
      expect.stringMatching(/^opens_total of content \d+: 3 recorded, 2 found$/) as string,
      expect.stringMatching(/^clicks_unique of link \d+: 7 recorded, 1 found$/) as string,
      // What changed them was not Listwright.
      expect.stringMatching(/^\d+ pages of the database are not what Listwright wrote last/) as string
    ]
  })
})

it('the check answers programs in one line of JSON', async () => {
  const { api, dataDirectory } = await startApplication()
  await makeList(api)
  const { status, lines } = await check(dataDirectory, '--json')
  expect(status).toBe(0)
  expect(lines.length).toBe(1)
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    ok: true,
    subscribers: 0,
    suppressed_addresses: 0,
    events: 0,
    damage: [],
    imports_without_logs: 0,
    differences: []
  })
})

it("the check accepts that rows change a subscriber's email if the primary key is a custom field", async () => {
  const { api, dataDirectory } = await startApplication()
  const { id } = await makeList(api)
  const code = await makeField(api, id, 'Code', 'number')
  await api.put(`/mailing_lists/${id}`, { mailing_list: { primary_key_custom_field_id: code.id } })
  for (const name of ['a', 'b']) {
    await importText(api, id, `${name}@example.com,1`, {
      column_mapping: ['email', 'Code'],
      file_format: { csv_has_headers: false }
    })
  }
  expect(await check(dataDirectory)).toMatchObject({ status: 0 })
})

it('imports whose logs stayed on another computer are mentioned, and are no fault', async () => {
  const { app, api, dataDirectory } = await startApplication()
  const list = await makeList(api)
  const { id } = await importText(api, list.id, 'email\na@example.com\n')
  await app.close()
  const directory = join(dataDirectory, 'imports', String(id))
  await rm(directory, { recursive: true })
  expect(await check(dataDirectory)).toEqual({
    status: 0,
    lines: [
      'Counted 1 subscribers, 0 suppressed addresses, 0 events of campaigns: every counter agrees.',
      'Imports whose logs are not in this folder, since backups do not contain them: 1.'
    ]
  })
})

it('the check finds added subscribers that are missing, and a log that lost a line', async () => {
  const { app, api, dataDirectory } = await startApplication()
  const list = await makeList(api)
  // More than are looked up at once.
  const emails = Array.from({ length: 1200 }, (_, number) => `p${number}@example.com`)
  const { id } = await importText(api, list.id, `email\n${emails.join('\n')}\n`)
  await app.close()
  const database = new SQLite(join(dataDirectory, 'listwright.db'))
  database.exec("DELETE FROM subscribers WHERE email IN ('p3@example.com', 'p1100@example.com')")
  database.close()
  const log = join(dataDirectory, 'imports', String(id), 'added.txt')
  writeFileSync(log, readFileSync(log, 'utf8').replace('p7@example.com\n', ''))
  const { status, lines } = await check(dataDirectory)
  expect(status).toBe(1)
  expect(lines.filter((line) => line.includes('the log'))).toEqual([
    `lines in the log "added" of subscriber import ${id}: 1,200 recorded, 1,199 found`,
    `subscribers found from the log "added" of subscriber import ${id}: 1,199 recorded, 1,197 found`
  ])
})
