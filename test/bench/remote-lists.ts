import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { CampaignLogEntry } from '../../src-main/api/campaigns/schema.ts'
import { expectSuccess, makeCampaign, makeList, makeSubscriber } from '../support/builders.ts'
import { type DatabaseServer, mariadb, postgresql } from '../support/databases.ts'
import { callMeanwhile, type Latencies } from './concurrent-client.ts'
import { startServer } from './server.ts'

export interface RemoteListFigures extends Latencies {
  what: string
  rows: number
  seconds: number
  rows_per_second: number
  /** Beyond what the application had before. */
  extra_memory_mb: number
}

/**
 * Reads so many recipients with two more columns from a database on the same computer into a file, while a client reads or writes every 20 ms.
 */
export async function benchRemoteLists(rows: number): Promise<RemoteListFigures[]> {
  return [
    await measure(
      'PostgreSQL',
      rows,
      (whenDone) => postgresql({}, whenDone),
      (most) => `generate_series(1, ${most}) AS people (n)`
    ),
    await measure('MariaDB', rows, mariadb, (most) => `(SELECT seq AS n FROM seq_1_to_${most}) AS people`)
  ]
}

type WhenDone = (end: () => Promise<void>) => void

async function measure(
  what: string,
  rows: number,
  start: (whenDone: WhenDone) => Promise<DatabaseServer>,
  peopleOf: (most: number) => string
): Promise<RemoteListFigures> {
  const ends: (() => Promise<void>)[] = []
  const whenDone = (end: () => Promise<void>): void => void ends.push(end)
  const database = await start(whenDone)
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const server = await startServer(join(directory, 'data'))
  try {
    const { api } = server
    const name =
      database.target.engine === 'mysql'
        ? "CONCAT('user', n, '@example.com')"
        : "'user' || n || '@example.com'"
    database.run(`CREATE TABLE people AS SELECT n AS id, ${name} AS email, 'Anna' AS first_name, 'Bern' AS city FROM ${peopleOf(rows)};
      GRANT SELECT ON ${database.target.engine === 'mysql' ? "crm.people TO anna@'127.0.0.1'" : 'people TO anna'}`)
    const { password: secret, name: _, ...target } = database.target
    const database_connection = { name: 'CRM', ...target, ...(secret !== null && { secret }) }
    const { id: database_connection_id } = expectSuccess(
      await api.post<{ id: number }>('/database_connections', { database_connection })
    )
    const remote = await makeList(api, { is_remote_list: true, database_connection_id })
    const local = await makeList(api)
    for (let number = 0; number < 100; number++) await makeSubscriber(api, local.id, `p${number}@example.com`)
    await pause(2000)
    const before = server.forgetPeakMemory() ?? 0
    const meanwhile = await callMeanwhile(api, local.id)
    const { id } = await makeCampaign(api, remote.id, {
      segmentation_criteria_ad_hoc: undefined,
      segmentation_criteria_remote_sql: 'SELECT email, id AS distinct_id, first_name, city FROM people',
      // What comes after reading is measured elsewhere.
      dispatch_attributes: { from_email: 'a@example.com', speed: 1, begins_at: Math.floor(Date.now() / 1000) }
    })
    const seconds = await secondsOfReading(async () =>
      expectSuccess(await api.get<CampaignLogEntry[]>(`/campaigns/${id}/history`))
    )
    const extra = ((server.peakMemory() ?? 0) - before) / 1e6
    const latencies = await meanwhile.stop()
    await api.post(`/campaigns/${id}/cancel`)
    return { what, rows, seconds, rows_per_second: rows / seconds, extra_memory_mb: extra, ...latencies }
  } finally {
    await server.end()
    for (const end of ends) await end()
    await rm(directory, { recursive: true, force: true })
  }
}

/** Waits for the end of reading. @returns the seconds that the history log says */
async function secondsOfReading(history: () => Promise<CampaignLogEntry[]>): Promise<number> {
  for (;;) {
    for (const { message } of await history()) {
      const seconds = /rows were read in ([\d.]+) s/.exec(message)?.[1]
      if (seconds !== undefined) return Number(seconds)
      if (/could not be read/.test(message)) throw new Error(message)
    }
    await pause(200)
  }
}
