import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import type { Client } from '../support/client.ts'
import { askForPages } from './concurrent-client.ts'
import { columns, writePeople } from './people.ts'
import { importPeople, makePeopleList, upload } from './prepared-list.ts'
import { startServer } from './server.ts'
import { mean, percentile, timeOf } from './statistics.ts'

export interface ImportFigures {
  rows: number
  sqlite_seconds: number[]
  sqlite_rows_per_second: number
  import_seconds: number
  import_rows_per_second: number
  /** The wall time of the import over that of `sqlite3 .import`, the mean of a run before and one after. */
  ratio: number
  peak_memory_mb: number | null
  client_requests: number
  client_p50_ms: number
  client_p99_ms: number
  client_max_ms: number
  first_page_p50_ms: number
  last_page_p50_ms: number
}

/** An import through the API against `sqlite3 .import` of the same file, in the same minutes. */
export async function benchImport(rows: number): Promise<ImportFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  try {
    const file = join(directory, 'people.csv')
    await writePeople(file, rows)
    const before = runSqlite(directory, file)
    const imported = await runImport(join(directory, 'data'), file, rows)
    const after = runSqlite(directory, file)
    const sqliteSeconds = mean([before, after])
    return {
      rows,
      sqlite_seconds: [before, after],
      sqlite_rows_per_second: rows / sqliteSeconds,
      import_rows_per_second: rows / imported.import_seconds,
      ratio: imported.import_seconds / sqliteSeconds,
      ...imported
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** @returns seconds */
function runSqlite(directory: string, file: string): number {
  const database = join(directory, `baseline-${Date.now()}.db`)
  const table = columns.map((name) => `"${name}" TEXT${name === 'email' ? ' UNIQUE' : ''}`).join(', ')
  const began = performance.now()
  execFileSync('sqlite3', [
    database,
    `CREATE TABLE people (${table});`,
    '.mode csv',
    `.import --skip 1 ${file} people`
  ])
  return (performance.now() - began) / 1000
}

async function runImport(dataDirectory: string, file: string, rows: number) {
  const server = await startServer(dataDirectory)
  try {
    const { api } = server
    const list = await makePeopleList(api)
    const filename = await upload(api, file)
    const client = askForPages(api, list)
    const began = performance.now()
    const ended = await importPeople(api, list, filename)
    const import_seconds = (performance.now() - began) / 1000
    const latencies = await client.stop()
    if (ended.stats.subscribers.added !== rows)
      throw new Error(`not every row was added: ${JSON.stringify(ended)}`)
    const memory = server.peakMemory()
    return {
      import_seconds,
      peak_memory_mb: memory === undefined ? null : memory / 1e6,
      client_requests: latencies.length,
      client_p50_ms: percentile(latencies, 0.5),
      client_p99_ms: percentile(latencies, 0.99),
      client_max_ms: Math.max(...latencies),
      first_page_p50_ms: await pageTime(api, list, 0),
      last_page_p50_ms: await pageTime(api, list, Math.ceil(rows / 100) - 1)
    }
  } finally {
    await server.end()
  }
}

async function pageTime(api: Client, list: MailingList, page: number): Promise<number> {
  const times: number[] = []
  for (let sample = 0; sample < 50; sample++) {
    times.push(await timeOf(api, 'GET', `/mailing_lists/${list.id}/subscribers?page=${page}`))
  }
  return percentile(times, 0.5)
}
