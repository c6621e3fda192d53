import SQLite from 'better-sqlite3'
import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import type { SubscriberExport } from '../../src-main/api/subscriber-exports/schema.ts'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import type { Client } from '../support/client.ts'
import { columns, writePeople } from './people.ts'
import { makePeopleList, maxJobTime, upload } from './prepared-list.ts'
import { type BenchedServer, startServer } from './server.ts'
import { percentile } from './statistics.ts'

const lists = 100
const calls = 100
/** Milliseconds after which an idle application is at rest. */
const rest = 8000
const shownObjects = 12

export interface ScaleFigures {
  what: string
  value: number
  unit: 'ms' | 's' | 'rows/s' | 'MB' | 'bytes per subscriber'
  /** Of calls, the 99th percentile. */
  p99?: number
}

/** Times everyday work with subscribers on a hundred lists, at any size. */
export async function benchScale(rows: number): Promise<ScaleFigures[]> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const data = join(directory, 'data')
  let server = await startServer(data)
  try {
    const figures = await imports(server, directory, rows)
    await server.end()
    const began = performance.now()
    server = await startServer(data)
    figures.push({ what: 'ready after a start', value: performance.now() - began, unit: 'ms' })
    await pause(rest)
    const memory = server.forgetPeakMemory()
    if (memory !== undefined) figures.push({ what: 'memory at rest', value: memory / 1e6, unit: 'MB' })
    figures.push(
      ...(await answers(server.api, rows)),
      await exportOf(server.api, rows),
      await backupOf(server.api)
    )
    await server.end()
    return [...figures, await checkOf(data), ...bytesOf(join(data, 'listwright.db'), rows)]
  } catch (error) {
    await server.end()
    throw error
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function imports({ api }: BenchedServer, directory: string, rows: number): Promise<ScaleFigures[]> {
  const file = join(directory, 'people.csv')
  await writePeople(file, rows / lists)
  const filename = await upload(api, file)
  const made: MailingList[] = []
  for (let list = 0; list < lists; list++) made.push(await makePeopleList(api))
  const began = performance.now()
  const begun = await Promise.all(
    made.map(({ id }) =>
      api.post<SubscriberImport>(`/mailing_lists/${id}/subscriber_imports`, {
        subscriber_import: { column_mapping: columns, file_source: { type: 'upload_directory', filename } }
      })
    )
  )
  for (const { data } of begun) await api.imported(data.id, maxJobTime)
  const seconds = (performance.now() - began) / 1000
  return [{ what: 'imports into all lists', value: rows / seconds, unit: 'rows/s' }]
}

/** Calls that people and programs make all day. */
async function answers(api: Client, rows: number): Promise<ScaleFigures[]> {
  const { data: all } = await api.get<MailingList[]>('/mailing_lists?per_page=500')
  const [first] = all
  if (!first) throw new Error('there are no lists')
  const listAt = (index: number): number => all[index % all.length]?.id ?? first.id
  const table = (question: object) => (index: number) =>
    api.workbench('POST', `/mailing_lists/${listAt(index)}/subscriber_table`, question)
  const lastPage = Math.floor(rows / lists / 100) - 1
  const kinds: Record<
    string,
    (index: number) => Promise<{ success: boolean; error_message: string | null }>
  > = {
    'first page of a list': (index) => api.get(`/mailing_lists/${listAt(index)}/subscribers?per_page=100`),
    'last page of a list': (index) =>
      api.get(`/mailing_lists/${listAt(index)}/subscribers?per_page=100&page=${lastPage}`),
    'subscriber by email': (index) =>
      api.get(`/mailing_lists/${listAt(index)}/subscribers/person${index}@example.com`),
    'counts of all lists': () => api.get('/subscriber_counts'),
    'search in all lists': (index) => api.workbench('GET', `/search?text=anna${index}`),
    'growth of all lists': () => api.workbench('GET', '/subscriber_growth'),
    'filter of a list by status': table({
      clause: [{ type: 'status', operator: 'is one of', statuses: ['unsubscribed'] }]
    }),
    'filter of a list by domain': table({
      clause: [{ type: 'domain', operator: 'is', value: 'example.org' }]
    }),
    'search within a list': table({ search: 'sao p' })
  }
  const figures: ScaleFigures[] = []
  for (const [what, call] of Object.entries(kinds)) {
    const times: number[] = []
    for (let index = 0; index < calls; index++) {
      const began = performance.now()
      const { success, error_message } = await call(index)
      if (!success && !error_message?.includes('not found')) throw new Error(`${what}: ${error_message}`)
      times.push(performance.now() - began)
    }
    figures.push({ what, value: percentile(times, 0.5), unit: 'ms', p99: percentile(times, 0.99) })
  }
  return figures
}

async function exportOf(api: Client, rows: number): Promise<ScaleFigures> {
  const { data: all } = await api.get<MailingList[]>('/mailing_lists')
  const began = performance.now()
  const { data } = await api.post<SubscriberExport>(`/mailing_lists/${all[0]?.id}/subscriber_exports`, {
    subscriber_export: {}
  })
  await api.exported(data.id, maxJobTime)
  const seconds = (performance.now() - began) / 1000
  return { what: 'export of a list', value: rows / lists / seconds, unit: 'rows/s' }
}

async function backupOf(api: Client): Promise<ScaleFigures> {
  const began = performance.now()
  const { success, error_message } = await api.workbench('POST', '/backups')
  if (!success) throw new Error(error_message ?? 'no backup was made')
  return { what: 'backup, read back', value: (performance.now() - began) / 1000, unit: 's' }
}

async function checkOf(data: string): Promise<ScaleFigures> {
  const began = performance.now()
  await promisify(execFile)(process.execPath, ['out/main/listwright.js', 'check', '--data-dir', data], {
    maxBuffer: 1e8
  })
  return { what: 'check of everything', value: (performance.now() - began) / 1000, unit: 's' }
}

function bytesOf(path: string, rows: number): ScaleFigures[] {
  const database = new SQLite(path, { readonly: true })
  const objects = database
    .prepare<[number], { name: string; bytes: number }>(
      'SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name ORDER BY bytes DESC LIMIT ?'
    )
    .all(shownObjects)
  database.close()
  const whole = statSync(path).size
  return [
    { what: basename(path), value: whole / 1e6, unit: 'MB' },
    { what: 'all of it', value: whole / rows, unit: 'bytes per subscriber' },
    ...objects.map(({ name, bytes }): ScaleFigures => ({
      what: name,
      value: bytes / rows,
      unit: 'bytes per subscriber'
    }))
  ]
}
