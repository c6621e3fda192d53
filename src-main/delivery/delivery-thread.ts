import { refusal } from '../base/refusal.ts'
import { kyselyOver, openForReading } from '../database/connection.ts'
import { ApiError, internalError, refusalOf } from '../base/errors.ts'
import { type RunningJob, runJobs } from '../jobs/run-job.ts'
import { Delivery, type DeliveryData } from './delivery.ts'
import { databasePathIn } from '../database/database-path.ts'

// Sends one campaign, on a database connection of its own.
runJobs(
  async (job: RunningJob<DeliveryData>) => {
    const reader = kyselyOver(openForReading(databasePathIn(job.dataDirectory)))
    try {
      return await new Delivery(job, reader).run()
    } finally {
      await reader.destroy()
    }
  },
  {
    onStorageFault: (fault) => ({ is: 'held', fault: refusal('then_continue_campaign', { fault }) }),
    // A refusal explains itself.
    describe: (error) =>
      error instanceof ApiError
        ? refusal('sending_cannot_continue', { fault: refusalOf(error) })
        : internalError('Sending', error)
  }
)
