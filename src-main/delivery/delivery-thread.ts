import { kyselyOver, openForReading } from '../database/connection.ts'
import { ApiError, internalError } from '../base/errors.ts'
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
    onStorageFault: (message) => ({ is: 'held', message: `${message}, then continue the campaign` }),
    // A refusal explains itself.
    describe: (error) =>
      error instanceof ApiError
        ? `Sending cannot continue: ${error.message}`
        : internalError('Sending', error)
  }
)
