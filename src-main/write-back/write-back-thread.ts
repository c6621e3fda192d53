import { internalError } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { kyselyOver, openForReading } from '../database/connection.ts'
import { databasePathIn } from '../database/database-path.ts'
import type { JobOutcome } from '../jobs/outcome.ts'
import { type RunningJob, runJobs } from '../jobs/run-job.ts'
import { RemoteDatabaseFault } from '../remote-databases/fault.ts'
import { type RemoteDatabase, withRemoteDatabase } from '../remote-databases/remote-database.ts'
import { nextRemovals, type WriteBackPlace } from './queries.ts'
import { type RemovalRow, rowOf, tableOf } from './removals-table.ts'
import type { WriteBackData } from './write-back-jobs.ts'

// Writes the removals of one Remote List into its database: first there, then it is stored here. What a kill repeats has the same key there, and
// changes nothing.

/** Removals that are written at once. */
const writtenAtOnce = 500
/** For one run, in milliseconds, and for the statements that begin in it: what is left is for the next run. */
const [timeLimit, longestRun] = [10 * 60_000, 5 * 60_000]

runJobs(writeBack, {
  onStorageFault: (fault) => ({ is: 'held', fault }),
  describe: (error) => internalError('Writing back', error)
})

async function writeBack(job: RunningJob<WriteBackData>): Promise<JobOutcome> {
  const { id, data, signal } = job
  if ('fault' in data.database) return { is: 'held', fault: data.database.fault }
  const reader = kyselyOver(openForReading(databasePathIn(job.dataDirectory)))
  try {
    const row = await reader
      .selectFrom('write_backs')
      .selectAll()
      .where('id', '=', id)
      .where('is_enabled', '=', 1)
      .executeTakeFirst()
    if (!row) return { is: 'stopped' }
    const { target } = data.database
    const { engine, host, port } = target
    const place = { engine, host, port, database: target.database, table_name: row.table_name }
    await withRemoteDatabase(target, { signal, timeLimit }, async (database) => {
      let isChecked = row.checked_at !== null
      for (const began = performance.now(); performance.now() - began < longestRun;) {
        const next = await nextRemovals(reader, row.mailing_list_id, writtenAtOnce)
        const young = next.findIndex(({ recorded_at }) => recorded_at + data.delay > Date.now())
        const removals = young < 0 ? next : next.slice(0, young)
        if (removals.length === 0 && isChecked) return
        if (!(await writeRemovals(job, database, place, removals))) return
        isChecked = true
      }
    })
    return { is: 'finished' }
  } catch (error) {
    if (!(error instanceof RemoteDatabaseFault) || signal.aborted) throw error
    return { is: 'held', fault: error.refusal }
  } finally {
    await reader.destroy()
  }
}

/**
 * Writes removals in their order. The database may refuse one: those before it are written then, and those after it wait.
 * @returns false as recordWritten does
 * @throws RemoteDatabaseFault, which names the removal that was refused
 */
async function writeRemovals(
  job: RunningJob<WriteBackData>,
  database: RemoteDatabase,
  place: WriteBackPlace,
  removals: readonly RemovalRow[]
): Promise<boolean> {
  try {
    await database.append(tableOf(place.table_name), removals.map(rowOf))
  } catch (error) {
    const isRefusal = error instanceof RemoteDatabaseFault && error.refusal.rule === 'database_refuses_row'
    const [first, second] = removals
    if (!isRefusal || !first) throw error
    if (!second)
      throw new RemoteDatabaseFault(refusal('removal_refused', { email: first.email, fault: error.refusal }))
    const middle = Math.ceil(removals.length / 2)
    const isWanted = await writeRemovals(job, database, place, removals.slice(0, middle))
    return isWanted && writeRemovals(job, database, place, removals.slice(middle))
  }
  const removalIds = removals.map(({ id }) => id)
  return job.client.run('writeBacks.recordWritten', { id: job.id, place, removalIds })
}
