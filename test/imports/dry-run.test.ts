import fc from 'fast-check'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { importOutcomes, type SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import type { DryRun } from '../../src-main/workbench/dry-runs/endpoints.ts'
import { clientOfUser, makeOrganization } from '../support/accounts.ts'
import { sharedApplication, startApplication, temporaryDirectory } from '../support/application.ts'
import { allSubscribers, makeField, makeList, makeSubscriber } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import {
  importAsRead,
  newFieldColumn,
  plainReading,
  readingColumn,
  upload
} from '../support/contact-files.ts'

const started = sharedApplication()
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
let files = 0

async function dryRun(
  listId: number,
  content: string,
  settings: Record<string, unknown>,
  api: Client = started.api
): Promise<DryRun> {
  const filename = await upload(api, `dry-${++files}.csv`, content)
  const body = { filename, reading: plainReading(['email']), ...settings }
  const created = await api.workbench<DryRun>('POST', `/mailing_lists/${listId}/dry_runs`, body)
  expect(created.error_message).toBeNull()
  for (let { data } = created; ; data = (await api.workbench<DryRun>('GET', `/dry_runs/${data.id}`)).data) {
    if (data.state === 'finished' || data.state === 'failed') return data
    await pause(10)
  }
}

async function logsAt(base: string): Promise<Record<string, string>> {
  const logs: Record<string, string> = {}
  for (const outcome of importOutcomes) {
    const response = await started.api.raw(`${base}/logs/${outcome}`)
    const isThere = !response.headers.get('content-type')?.includes('json')
    logs[outcome] = isThere ? await response.text() : ''
  }
  return logs
}

describe('a dry run', () => {
  it('reports which values of existing subscribers would change', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    const people = [
      { email: 'a@example.com', status: 'active', city: 'Wien' },
      { email: 'b@example.com', status: 'active', city: 'Graz' },
      { email: 'c@example.com', status: 'unsubscribed', city: 'Linz' }
    ]
    for (const { email, status, city } of people)
      await makeSubscriber(started.api, list.id, email, { status, custom_fields: { City: city } })

    const run = await dryRun(
      list.id,
      'email,status,City\na@example.com,active,Wien\nb@example.com,unsubscribed,Ulm\nc@example.com,,\nd@example.com,active,Bonn\n',
      {
        reading: plainReading(['email', 'status', 'City'], { blank_cells: 'keep' }),
        overwrite: true,
        overwrite_what: { custom_fields: true, status: true },
        overwrite_when_status: { active: true, unsubscribed: true }
      }
    )

    expect(run.stats.subscribers).toMatchObject({ updated: 3, added: 1 })
    expect(run.unchanged).toBe(2)
    expect(run.changes).toEqual([
      {
        name: 'status',
        type: null,
        count: 1,
        examples: [{ email: 'b@example.com', before: 'active', after: 'unsubscribed' }]
      },
      {
        name: 'City',
        type: 'text',
        count: 1,
        examples: [{ email: 'b@example.com', before: 'Graz', after: 'Ulm' }]
      }
    ])
  })

  it(`reports exactly what the import would do, and changes nothing (SEED=${seed})`, async () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'A', 'e', 'f', 'not an address')
    const row = fc.tuple(name, fc.constantFrom('Wien', '', 'x'.repeat(30)), fc.constantFrom('1', '', 'old'))
    const settings = fc.record({
      overwrite: fc.boolean(),
      overwrite_when_status: fc.record({ active: fc.boolean(), unsubscribed: fc.boolean() })
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 12 }),
        fc.array(fc.tuple(name, fc.constantFrom('active', 'unsubscribed', 'bounced'))),
        settings,
        fc.boolean(),
        async (rows, known, chosen, hasKey) => {
          const list = await makeList(started.api)
          await makeField(started.api, list.id, 'City', 'text', { maximum_length: 20 })
          const age = await makeField(started.api, list.id, 'Age', 'number', { required: hasKey })
          if (hasKey) {
            await started.api.put(`/mailing_lists/${list.id}`, {
              mailing_list: { primary_key_custom_field_id: age.id }
            })
          }
          for (const [index, [person, status]] of known.entries()) {
            // Two of the same are refused.
            await started.api.post(`/mailing_lists/${list.id}/subscribers`, {
              subscriber: { email: `${person}@example.com`, status, custom_fields: { age: index } }
            })
          }
          const content = rows
            .map(([person, ...cells]) => [`${person}@example.com`, ...cells].join())
            .join('\n')
          const reading = plainReading(['email', 'City', 'Age'], { header_line: null })
          const all = { reading, ...chosen }
          const before = await allSubscribers(started.api, list.id)
          const dry = await dryRun(list.id, `${content}\n`, all)
          const dryLogs = await logsAt(`/app/v1/dry_runs/${dry.id}`)
          expect(await allSubscribers(started.api, list.id)).toEqual(before)
          const filename = await upload(started.api, 'real.csv', `${content}\n`)
          const real = await importAsRead(started, list.id, filename, reading, chosen)
          expect({ state: dry.state, stats: dry.stats, error: dry.error_message }).toEqual({
            state: real.state,
            stats: real.stats,
            error: real.error_message
          })
          expect(dryLogs).toEqual(await logsAt(`/ga/api/v2/subscriber_imports/${real.id}`))
        }
      ),
      { seed, numRuns: 10 }
    )
  })

  it('stops at the subscriber limit of the organization as the import would', async () => {
    const organizationId = await makeOrganization(started, { subscriberLimit: 2 })
    const api = await clientOfUser(started, { organizationId, role: 'organization_admin' })
    const list = await makeList(api)
    await makeSubscriber(api, list.id, 'a@example.com')
    const dry = await dryRun(
      list.id,
      'email\nb@example.com\nb@example.com\nc@example.com\nc@example.com\n',
      {},
      api
    )
    expect(dry.stats.subscribers).toMatchObject({ added: 1, skipped_duplicate: 1, skipped_over_limit: 2 })
  })

  it('reads columns of fields that do not exist yet, and does not create them', async () => {
    const list = await makeList(started.api)
    const dry = await dryRun(list.id, 'email,Age\na@example.com,12\nb@example.com,old\n', {
      reading: plainReading([], { columns: [readingColumn('email'), newFieldColumn('Age', 'number')] })
    })
    expect(dry.stats.subscribers).toMatchObject({ added: 1, failed: 1 })
    expect((await started.api.get<unknown[]>(`/mailing_lists/${list.id}/custom_fields`)).data).toEqual([])
  })

  it('of a file that cannot be imported fails with the sentence of the import', async () => {
    const list = await makeList(started.api)
    const dry = await dryRun(list.id, 'email\n"a@example.com\n', {})
    expect(dry.state).toBe('failed')
    expect(dry.error_message).toMatch(/^Line 2: .*never closed/)
  })

  it('refuses what the import would refuse, naming it', async () => {
    const list = await makeList(started.api)
    await writeFile(join(started.dataDirectory, 'uploads', 'refused.csv'), 'email\n')
    const refusal = async (settings: Record<string, unknown>): Promise<string | null> => {
      const body = { filename: 'refused.csv', reading: plainReading(['email']), ...settings }
      return (await started.api.workbench('POST', `/mailing_lists/${list.id}/dry_runs`, body)).error_message
    }
    expect(await refusal({ reading: plainReading(['email', 'Town']) })).toContain('Town is no custom field')
    expect(await refusal({ filename: '../refused.csv' })).toContain('without folders')
    expect(await refusal({ filename: 'none.csv' })).toContain('none.csv is not in the upload directory')
  })

  it('is removed with its logs, and belongs to its organization', async () => {
    const list = await makeList(started.api)
    const dry = await dryRun(list.id, 'email\na@example.com\n', {})
    const stranger = await clientOfUser(started, {
      organizationId: await makeOrganization(started),
      role: 'organization_admin'
    })
    expect((await stranger.workbench('GET', `/dry_runs/${dry.id}`)).error_code).toBe('not_found')
    expect((await stranger.workbench('DELETE', `/dry_runs/${dry.id}`)).error_code).toBe('not_found')
    const directory = join(started.dataDirectory, 'imports', 'dry-runs', dry.id)
    expect(existsSync(directory)).toBe(true)
    expect((await started.api.workbench('DELETE', `/dry_runs/${dry.id}`)).success).toBe(true)
    expect(existsSync(directory)).toBe(false)
    expect((await started.api.workbench('GET', `/dry_runs/${dry.id}`)).error_code).toBe('not_found')
  })

  it('left behind by a killed application is removed at its next start', async () => {
    const directory = await temporaryDirectory()
    const left = join(directory, 'imports/dry-runs/left')
    await mkdir(left, { recursive: true })
    await writeFile(join(left, 'unpacked.csv'), 'somebody@example.com')
    await startApplication(directory)
    expect(existsSync(left)).toBe(false)
  })

  it('does not appear in the list of imports', async () => {
    const list = await makeList(started.api)
    await dryRun(list.id, 'email\na@example.com\n', {})
    const { data } = await started.api.get<SubscriberImport[]>(
      `/mailing_lists/${list.id}/subscriber_imports?scope=all`
    )
    expect(data).toEqual([])
  })

  it('runs with at most one other, and the last five are kept', async () => {
    const { api } = await startApplication()
    const list = await makeList(api)
    const rows = Array.from({ length: 200_000 }, (_, row) => `p${row}@example.com`)
    await api.raw('/app/v1/uploads/many.csv', { method: 'PUT', body: `email\n${rows.join('\n')}\n` })
    await api.raw('/app/v1/uploads/few.csv', { method: 'PUT', body: 'email\na@example.com\n' })
    const start = (filename: string) =>
      api.workbench<DryRun>('POST', `/mailing_lists/${list.id}/dry_runs`, {
        filename,
        reading: plainReading(['email'])
      })
    const first = await Promise.all([start('many.csv'), start('many.csv'), start('many.csv')])
    expect(first.map(({ error_message }) => error_message).filter((message) => message !== null)).toEqual([
      '2 dry runs are running already. Wait until one has finished, or stop one'
    ])
    const ids = first.flatMap(({ success, data }) => (success ? [data.id] : []))
    const removed = ids.pop() ?? ''
    expect((await api.workbench('DELETE', `/dry_runs/${removed}`)).success).toBe(true)
    while (ids.length < 6) {
      const { success, data } = await start('few.csv')
      if (success) ids.push(data.id)
      else await pause(20)
    }
    const found = await Promise.all(ids.map((id) => api.workbench('GET', `/dry_runs/${id}`)))
    expect(found.map(({ success }) => success)).toEqual([false, true, true, true, true, true])
  })
})
