import { type DatabaseTarget, type RemoteDatabase, withRemoteDatabase } from './remote-database.ts'

export interface DatabaseTest {
  version: string
  read_only_transactions: boolean
  cursors: boolean
  time_limits: boolean
  rows_per_second: number
  /** How far its clock is ahead of this computer's, in milliseconds. */
  clock_difference: number
}

/** Of a test, in milliseconds. */
export const testTimeLimit = 60_000

const measuredRows = 10_000

/** Finds out what a database can do. Nothing in it changes. @throws RemoteDatabaseFault */
export async function testDatabase(target: DatabaseTarget, signal: AbortSignal): Promise<DatabaseTest> {
  const limits = { signal, timeLimit: testTimeLimit }
  const found = await withRemoteDatabase(target, limits, async (database) => {
    const asked = Date.now()
    const { version, clock } = await database.state()
    // The server read its clock about half a round trip ago.
    const difference = clock - (asked + Date.now()) / 2
    const { readOnlyTransactions, cursors, timeLimits } = await database.abilities()
    return {
      version,
      read_only_transactions: readOnlyTransactions,
      cursors,
      time_limits: timeLimits,
      clock_difference: Math.round(difference)
    }
  })
  // On a new connection: the short time limit that abilities() sets may stay for the session.
  return { ...found, rows_per_second: await withRemoteDatabase(target, limits, rowsPerSecond) }
}

const digits = [...'0123456789'].map((digit) => `SELECT ${digit} AS d`).join(' UNION ALL ')

/** 10,000 rows, in SQL that every engine knows. */
const measuredQuery = `SELECT t.d * 1000 + h.d * 100 + z.d * 10 + e.d AS n, 'anna@example.com' AS email
  FROM (${digits}) t CROSS JOIN (${digits}) h CROSS JOIN (${digits}) z CROSS JOIN (${digits}) e`

async function rowsPerSecond(database: RemoteDatabase): Promise<number> {
  const began = performance.now()
  const result = await database.read(measuredQuery, { timeLimit: testTimeLimit })
  let rows = 0
  for (let batch = await result.next(); batch.length > 0; batch = await result.next()) rows += batch.length
  if (rows !== measuredRows) throw new Error(`a test read ${rows} rows instead of ${measuredRows}`)
  return Math.round(rows / ((performance.now() - began) / 1000))
}
