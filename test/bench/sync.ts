import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAsBlob } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import type { Remote, SyncRun } from '../../src-main/sync/schema.ts'
import { makeField, makeList } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { seededRandom } from '../support/random.ts'
import { verifySync } from '../support/sync.ts'
import { callMeanwhile, type Latencies } from './concurrent-client.ts'
import { columns, writePeople } from './people.ts'
import { maxJobTime } from './prepared-list.ts'
import { type BenchedServer, startServer } from './server.ts'

export interface SyncFigures extends Partial<Latencies> {
  what: string
  subscribers: number
  seconds: number
  per_second: number
  requests?: number
  megabytes_sent?: number
  megabytes_received?: number
  here_mb?: number
  /** The memory of this process before, in MB. */
  here_before_mb?: number
  there_mb?: number
  conflicts?: number
}

const lists = 5

/**
 * Mirrors so many subscribers on five lists to another Listwright, changes 1 % of them on both sides, brings both together and
 * compares them; then what 1,000 changes cost beside few subscribers and beside many. A client of the local API calls every 20 ms.
 */
export async function benchSync(rows: number): Promise<SyncFigures[]> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  let here = await startServer(join(directory, 'here'))
  const there = await startServer(join(directory, 'there'))
  const figures: SyncFigures[] = []
  try {
    const file = join(directory, 'people.csv')
    await writePeople(file, Math.floor(rows / lists))
    const ids: number[] = []
    for (let number = 1; number <= lists; number++)
      ids.push((await makeBenchList(here.api, `List ${number}`)).id)
    const began = performance.now()
    for (const id of ids) await fill(here.api, id, file)
    figures.push(timed('plain import of the same file', rows, performance.now() - began))

    const remoteId = await connect(here.api, there, ids)
    const run = async (what: string, subscribers: number): Promise<void> => {
      const before = here.forgetPeakMemory() ?? 0
      there.forgetPeakMemory()
      const meanwhile = await callMeanwhile(here.api, ids[0] ?? 0)
      const start = performance.now()
      const ended = await nextRun(here.api, remoteId)
      const took = performance.now() - start
      const latencies = await meanwhile.stop()
      if (ended.outcome !== 'finished') throw new Error(`the run did not finish: ${ended.message ?? ''}`)
      figures.push({
        ...timed(what, subscribers, took),
        requests: ended.requests,
        megabytes_sent: ended.bytes_sent / 1e6,
        megabytes_received: ended.bytes_received / 1e6,
        here_mb: (here.peakMemory() ?? 0) / 1e6,
        here_before_mb: before / 1e6,
        there_mb: (there.peakMemory() ?? 0) / 1e6,
        conflicts: ended.conflicts,
        ...latencies
      })
    }
    await run('first mirror', rows)
    // What the look takes by itself is told by a process that has done nothing else yet.
    await here.end()
    here = await startServer(join(directory, 'here'))
    await run('look at everything, nothing changed', rows)
    const changed = Math.floor(rows / 100)
    await change(here.api, ids, changed, 1)
    await change(there.api, await idsOf(there.api), changed, 2)
    await run('1 % changed on both sides', 2 * changed)
    const start = performance.now()
    const verification = await verifySync(here.api, remoteId)
    figures.push(
      timed(`compare: ${verification.equal ? 'equal' : 'NOT equal'}`, rows, performance.now() - start)
    )

    // Changes alone, without a look at everything.
    await here.api.workbench('PUT', `/remotes/${remoteId}`, {
      interval_minutes: 10_080,
      schedule: 'on_change'
    })
    await here.api.workbench('POST', `/remotes/${remoteId}/pause`)
    await change(here.api, ids, 1000, 3)
    // Changes are collected for a second: wait until that has passed, otherwise they would start another run.
    await pause(2000)
    await run('1,000 changes alone', 1000)
    return figures
  } finally {
    await here.end()
    await there.end()
    await rm(directory, { recursive: true, force: true })
  }
}

async function nextRun(api: Client, remoteId: number): Promise<SyncRun> {
  const runs = async () => (await api.workbench<SyncRun[]>('GET', `/remotes/${remoteId}/runs`)).data
  const before = (await runs())[0]?.id ?? 0
  await api.workbench('POST', `/remotes/${remoteId}/run`)
  for (const began = performance.now(); performance.now() - began < maxJobTime; await pause(20)) {
    const ended = (await runs()).findLast(({ id }) => id > before)
    if (ended?.outcome) return ended
  }
  throw new Error('the run did not end')
}

function timed(what: string, subscribers: number, milliseconds: number): SyncFigures {
  const seconds = milliseconds / 1000
  return { what, subscribers, seconds, per_second: subscribers / seconds }
}

async function makeBenchList(api: Client, name: string): Promise<MailingList> {
  const list = await makeList(api, { name })
  for (const field of ['first name', 'last name', 'city']) await makeField(api, list.id, field, 'text')
  const types: Record<string, string> = {
    age: 'number',
    'signup date': 'date',
    notes: 'text_multiline',
    birthday: 'day_of_year',
    customer: 'boolean'
  }
  for (const [field, type] of Object.entries(types)) await makeField(api, list.id, field, type)
  const options = { options: [{ name: 'Free' }, { name: 'Paid' }] }
  for (const type of ['select_single_dropdown', 'select_single_radio', 'select_multiple_checkboxes']) {
    await makeField(api, list.id, type, type, options)
  }
  return list
}

async function fill(api: Client, listId: number, file: string): Promise<void> {
  const response = await api.raw('/app/v1/uploads/people.csv', {
    method: 'PUT',
    body: await openAsBlob(file)
  })
  const { data: uploaded } = (await response.json()) as { data: { filename: string } }
  const { data } = await api.post<SubscriberImport>(`/mailing_lists/${listId}/subscriber_imports`, {
    subscriber_import: {
      column_mapping: [...columns],
      default_custom_fields: {
        birthday: '02-29',
        customer: true,
        notes: 'Met at the fair',
        select_single_dropdown: 'Paid',
        select_single_radio: 'Free',
        select_multiple_checkboxes: ['Free', 'Paid']
      },
      file_source: { type: 'upload_directory', filename: uploaded.filename }
    }
  })
  await api.imported(data.id, maxJobTime)
}

async function connect(
  api: Client,
  { api: there }: BenchedServer,
  mailing_list_ids: number[]
): Promise<number> {
  const { data: key } = await there.workbench<{ api_key: string }>('POST', '/api_keys', { name: 'sync' })
  const { data } = await api.workbench<Remote>('POST', '/remotes', {
    base_url: there.baseUrl,
    organization_id: 1,
    api_key: key.api_key,
    direction: 'both',
    mailing_list_ids
  })
  return data.id
}

async function idsOf(api: Client): Promise<number[]> {
  return (await api.get<MailingList[]>('/mailing_lists')).data.map(({ id }) => id)
}

async function change(api: Client, listIds: number[], count: number, seed: number): Promise<void> {
  const random = seededRandom(20_261_123 + seed)
  let changed = 0
  while (changed < count) {
    const listId = listIds[Math.floor(random() * listIds.length)] ?? 0
    const page = Math.floor(random() * 20)
    const { data } = await api.get<Subscriber[]>(
      `/mailing_lists/${listId}/subscribers?per_page=100&page=${page}`
    )
    const some = data.slice(0, Math.min(100, count - changed))
    await Promise.all(
      some.map(({ id }, at) =>
        api.put(`/mailing_lists/${listId}/subscribers/${id}`, {
          subscriber:
            at % 10 === 0 ? { status: 'unsubscribed' } : { custom_fields: { city: `City ${seed} ${at}` } }
        })
      )
    )
    changed += some.length
  }
}
