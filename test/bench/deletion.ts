import { execFileSync } from 'node:child_process'
import SQLite from 'better-sqlite3'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { makeList } from '../support/builders.ts'
import { makeFilledList } from './prepared-list.ts'
import { startServer } from './server.ts'
import { percentile, timeOf } from './statistics.ts'

const callingInterval = 20

export interface DeletionFigures {
  answered_ms: number
  /** Until the last subscriber was deleted. */
  emptied_seconds: number
  reads_p50_ms: number
  reads_p99_ms: number
  reads_max_ms: number
  writes: number
  writes_p50_ms: number
  writes_p99_ms: number
  writes_max_ms: number
}

/** Times other calls while a deleted list is emptied in the background. */
export async function benchDeletion(rows: number): Promise<DeletionFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const data = join(directory, 'data')
  const server = await startServer(data)
  try {
    const { api } = server
    const { list } = await makeFilledList(api, directory, rows, 0)
    // The system writes the files of the import to disk by itself some 30 s later, in the midst of the measurement.
    execFileSync('sync')
    const other = await makeList(api)
    const path = `/mailing_lists/${other.id}/subscribers`
    const { data: confirmation } = await api.get<{ delete_confirmation_code: string }>(
      `/mailing_lists/${list.id}/delete_confirmation_code`
    )
    const began = performance.now()
    const answered_ms = await timeOf(
      api,
      'DELETE',
      `/mailing_lists/${list.id}/confirmed/${confirmation.delete_confirmation_code}`
    )
    // It could be restored for some days.
    await api.workbench('POST', `/deleted_lists/${list.id}/purge`)
    const reads: Promise<number>[] = []
    const writes: Promise<number>[] = []
    for (let number = 0; !isEmptied(data, list.id); number++) {
      reads.push(timeOf(api, 'GET', path))
      writes.push(
        timeOf(api, 'POST', path, { subscriber: { email: `b${number}@example.com`, status: 'active' } })
      )
      await pause(callingInterval)
    }
    const emptied_seconds = (performance.now() - began) / 1000
    const [readTimes, writeTimes] = [await Promise.all(reads), await Promise.all(writes)]
    return {
      answered_ms,
      emptied_seconds,
      reads_p50_ms: percentile(readTimes, 0.5),
      reads_p99_ms: percentile(readTimes, 0.99),
      reads_max_ms: Math.max(...readTimes),
      writes: writeTimes.length,
      writes_p50_ms: percentile(writeTimes, 0.5),
      writes_p99_ms: percentile(writeTimes, 0.99),
      writes_max_ms: Math.max(...writeTimes)
    }
  } finally {
    await server.end()
    await rm(directory, { recursive: true, force: true })
  }
}

function isEmptied(dataDirectory: string, listId: number): boolean {
  const database = new SQLite(join(dataDirectory, 'listwright.db'), { readonly: true })
  try {
    return database.prepare('SELECT purged_at FROM mailing_lists WHERE id = ?').pluck().get(listId) !== null
  } finally {
    database.close()
  }
}
