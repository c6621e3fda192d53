import SQLite from 'better-sqlite3'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import type { ImportCounts } from '../../src-main/api/subscriber-imports/schema.ts'
import type { DryRun } from '../../src-main/workbench/dry-runs/endpoints.ts'
import { plainReading } from '../support/contact-files.ts'
import type { Client } from '../support/client.ts'
import { callMeanwhile, type Latencies } from './concurrent-client.ts'
import { columns, writePeople } from './people.ts'
import { exportWhole, importPeople, makePeopleList, upload } from './prepared-list.ts'
import { type BenchedServer, startServer } from './server.ts'

// Not execFileSync: a connection that the server closes meanwhile would be used again.
const run = promisify(execFile)

export interface ImportFigures extends Latencies {
  run: string
  rows: number
  seconds: number
  rows_per_second: number
  /** `sqlite3 .import` of the same file, or `.mode csv` of the same subscribers. */
  sqlite_seconds: number
  sqlite_rows_per_second: number
  ratio: number
  peak_memory_mb: number | null
}

/**
 * Imports, a dry run and an export of so many rows through the API, while a client reads or writes every 20 ms, against
 * sqlite3 in the same minutes.
 */
export async function benchImport(rows: number): Promise<ImportFigures[]> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const data = join(directory, 'data')
  const server = await startServer(data)
  try {
    const { api } = server
    const file = join(directory, 'people.csv')
    const list = await makePeopleList(api)
    await writePeople(file, rows)
    const imported = await sqliteImport(directory, file)
    const people = await upload(api, file)
    await writePeople(file, rows, 0, 1)
    const older = await upload(api, file)
    await rm(file)

    const figures: ImportFigures[] = []
    const measure = async (name: string, sqliteSeconds: number, work: () => Promise<unknown>) => {
      figures.push(await measured(server, list, { name, rows, sqliteSeconds }, work))
    }
    await measure('dry run, all new', imported, () => dryRun(api, list, people, { added: rows }))
    await measure('first import', imported, () => importWhole(api, list, people, { added: rows }))
    await measure('dry run, all known', imported, () => dryRun(api, list, people, { updated: rows }))
    await measure('again, nothing changed', imported, () => importWhole(api, list, people, { updated: rows }))
    await measure('again, every row changed', imported, () =>
      importWhole(api, list, older, { updated: rows })
    )
    const exported = await sqliteExport(data, join(directory, 'baseline.csv'))
    await measure('export', exported, () => exportWhole(api, list, rows))
    // By turns, into a new list each: what one costs more is what the history costs.
    for (const history of ['with', 'without', 'with', 'without'] as const) {
      keepHistory(data, history === 'with')
      const other = await makePeopleList(api)
      await measure(`first import, ${history} history`, imported, () =>
        importWhole(api, other, people, { added: rows })
      )
    }
    return figures
  } finally {
    await server.end()
    await rm(directory, { recursive: true, force: true })
  }
}

function keepHistory(data: string, isKept: boolean): void {
  const database = new SQLite(join(data, 'listwright.db'))
  database.exec('DROP TRIGGER IF EXISTS no_history')
  if (!isKept) {
    database.exec('CREATE TRIGGER no_history BEFORE INSERT ON change_log BEGIN SELECT RAISE(IGNORE); END')
  }
  database.close()
}

async function measured(
  server: BenchedServer,
  list: MailingList,
  { name, rows, sqliteSeconds }: { name: string; rows: number; sqliteSeconds: number },
  work: () => Promise<unknown>
): Promise<ImportFigures> {
  // The system writes what came before to disk by itself some 30 s later, in the midst of the measurement.
  await run('sync')
  server.forgetPeakMemory()
  const client = await callMeanwhile(server.api, list.id)
  const began = performance.now()
  await work()
  const seconds = (performance.now() - began) / 1000
  const latencies = await client.stop()
  const memory = server.peakMemory()
  return {
    run: name,
    rows,
    seconds,
    rows_per_second: rows / seconds,
    sqlite_seconds: sqliteSeconds,
    sqlite_rows_per_second: rows / sqliteSeconds,
    ratio: seconds / sqliteSeconds,
    peak_memory_mb: memory === undefined ? null : memory / 1e6,
    ...latencies
  }
}

async function importWhole(
  api: Client,
  list: MailingList,
  filename: string,
  expected: Partial<ImportCounts>
): Promise<void> {
  const { stats } = await importPeople(api, list, filename, { overwrite: true })
  expectCounts(stats.subscribers, expected)
}

async function dryRun(
  api: Client,
  list: MailingList,
  filename: string,
  expected: Partial<ImportCounts>
): Promise<void> {
  const call = async (path: string, init: RequestInit): Promise<DryRun> => {
    const response = await api.raw(`/app/v1${path}`, init)
    return ((await response.json()) as { data: DryRun }).data
  }
  let current = await call(`/mailing_lists/${list.id}/dry_runs`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ filename, reading: plainReading([...columns]), overwrite: true })
  })
  while (current.state !== 'finished' && current.state !== 'failed') {
    await pause(30)
    current = await call(`/dry_runs/${current.id}`, {})
  }
  expectCounts(current.stats.subscribers, expected)
}

function expectCounts(counts: ImportCounts, expected: Partial<ImportCounts>): void {
  for (const [outcome, count] of Object.entries(counts)) {
    if (count !== (expected[outcome as keyof ImportCounts] ?? 0)) {
      throw new Error(`not what was expected: ${JSON.stringify(counts)}`)
    }
  }
}

/**
 * `sqlite3 .import` into a table with unique emails.
 * @returns seconds
 */
async function sqliteImport(directory: string, file: string): Promise<number> {
  const database = join(directory, 'baseline.db')
  const table = columns.map((name) => `"${name}" TEXT${name === 'email' ? ' UNIQUE' : ''}`).join(', ')
  const began = performance.now()
  await run('sqlite3', [
    database,
    `CREATE TABLE people (${table});`,
    '.mode csv',
    `.import --skip 1 ${file} people`
  ])
  return (performance.now() - began) / 1000
}

/** `sqlite3 .mode csv` of the subscribers of the first list, their values as they are kept. @returns seconds */
async function sqliteExport(dataDirectory: string, file: string): Promise<number> {
  const began = performance.now()
  await run('sqlite3', [
    join(dataDirectory, 'listwright.db'),
    '.mode csv',
    `.once ${file}`,
    `SELECT email, status, subscribe_time, subscribe_ip, remove_time, remove_ip, custom_fields FROM subscribers
     WHERE mailing_list_id = 1 ORDER BY id`
  ])
  return (performance.now() - began) / 1000
}
