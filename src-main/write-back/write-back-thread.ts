import { internalError } from '../base/errors.ts'
import { kyselyOver, openForReading } from '../database/connection.ts'
import { databasePathIn } from '../database/database-path.ts'
import type { JobOutcome } from '../jobs/outcome.ts'
import { type RunningJob, runJobs } from '../jobs/run-job.ts'
import { RemoteDatabaseFault } from '../remote-databases/fault.ts'
import { withRemoteDatabase } from '../remote-databases/remote-database.ts'
import { nextRemovals } from './queries.ts'
import { rowOf, tableOf } from './removals-table.ts'
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
    await withRemoteDatabase(data.database.target, { signal, timeLimit }, async (database) => {
      for (const began = performance.now(); performance.now() - began < longestRun;) {
        const next = await nextRemovals(reader, row.mailing_list_id, writtenAtOnce)
        const young = next.findIndex(({ recorded_at }) => recorded_at + data.delay > Date.now())
        const removals = young < 0 ? next : next.slice(0, young)
        if (removals.length === 0) return
        await database.append(tableOf(row.table_name), removals.map(rowOf))
        const removalIds = removals.map((removal) => removal.id)
        if (!(await job.client.run('writeBacks.recordWritten', { id, removalIds }))) return
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
