import type { Kysely } from 'kysely'
import { ApiError, internalError, refusalOf } from '../base/errors.ts'
import { type Refusal, refusal } from '../base/refusal.ts'
import { kyselyOver, openForReading } from '../database/connection.ts'
import { databasePathIn } from '../database/database-path.ts'
import type { Schema } from '../database/schema.ts'
import type { JobOutcome } from '../jobs/outcome.ts'
import { type RunningJob, runJobs } from '../jobs/run-job.ts'
import type { DeliveryData } from './delivery.ts'

/**
 * Sends in this thread, on a database connection of its own.
 * @param describeHold what a user reads when the disk or the database has stopped it
 */
export function runDeliveries(
  deliver: (job: RunningJob<DeliveryData>, reader: Kysely<Schema>) => Promise<JobOutcome>,
  describeHold: (fault: Refusal) => Refusal
): void {
  runJobs(
    async (job: RunningJob<DeliveryData>) => {
      const reader = kyselyOver(openForReading(databasePathIn(job.dataDirectory)))
      try {
        return await deliver(job, reader)
      } finally {
        await reader.destroy()
      }
    },
    {
      onStorageFault: (fault) => ({ is: 'held', fault: describeHold(fault) }),
      // A refusal explains itself.
      describe: (error) =>
        error instanceof ApiError
          ? refusal('sending_cannot_continue', { fault: refusalOf(error) })
          : internalError('Sending', error)
    }
  )
}
