import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SubscriberExport } from '../../src-main/api/subscriber-exports/schema.ts'
import { askForPages } from './concurrent-client.ts'
import { makeFilledList } from './prepared-list.ts'
import { startServer } from './server.ts'
import { percentile } from './statistics.ts'

export interface ExportFigures {
  rows: number
  /** `sqlite3 .mode csv` writing the same subscribers, their values as they are kept. */
  sqlite_seconds: number
  export_seconds: number
  export_rows_per_second: number
  ratio: number
  peak_memory_mb: number | null
  client_p50_ms: number
  client_p99_ms: number
  client_max_ms: number
}

/** An export of all columns of so many subscribers, while a client asks for pages. */
export async function benchExport(rows: number): Promise<ExportFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const data = join(directory, 'data')
  const server = await startServer(data)
  try {
    const { api } = server
    const { list } = await makeFilledList(api, directory, rows, 0)
    const sqlite_seconds = runSqlite(data, join(directory, 'baseline.csv'))
    const client = askForPages(api, list)
    const began = performance.now()
    const { data: started } = await api.post<SubscriberExport>(
      `/mailing_lists/${list.id}/subscriber_exports`,
      { subscriber_export: {} }
    )
    const ended = await api.exported(started.id)
    const export_seconds = (performance.now() - began) / 1000
    const latencies = await client.stop()
    if (ended.stats.records_exported !== rows)
      throw new Error(`not every row is there: ${JSON.stringify(ended)}`)
    const memory = server.peakMemory()
    return {
      rows,
      sqlite_seconds,
      export_seconds,
      export_rows_per_second: rows / export_seconds,
      ratio: export_seconds / sqlite_seconds,
      peak_memory_mb: memory === undefined ? null : memory / 1e6,
      client_p50_ms: percentile(latencies, 0.5),
      client_p99_ms: percentile(latencies, 0.99),
      client_max_ms: Math.max(...latencies)
    }
  } finally {
    await server.end()
    await rm(directory, { recursive: true, force: true })
  }
}

/** @returns seconds */
function runSqlite(dataDirectory: string, file: string): number {
  const began = performance.now()
  execFileSync('sqlite3', [
    join(dataDirectory, 'listwright.db'),
    '.mode csv',
    `.once ${file}`,
    'SELECT email, status, subscribe_time, subscribe_ip, remove_time, remove_ip, custom_fields FROM subscribers ORDER BY id'
  ])
  return (performance.now() - began) / 1000
}
