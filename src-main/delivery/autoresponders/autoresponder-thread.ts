import { refusal } from '../../base/refusal.ts'
import { ApiError, internalError, refusalOf } from '../../base/errors.ts'
import { kyselyOver, openForReading } from '../../database/connection.ts'
import { databasePathIn } from '../../database/database-path.ts'
import { type RunningJob, runJobs } from '../../jobs/run-job.ts'
import type { DeliveryData } from '../delivery.ts'
import { AutoresponderDelivery } from './delivery.ts'

// Sends the due messages of one autoresponder, on a database connection of its own.
runJobs(
  async (job: RunningJob<DeliveryData>) => {
    const reader = kyselyOver(openForReading(databasePathIn(job.dataDirectory)))
    try {
      return await new AutoresponderDelivery(job, reader).run()
    } finally {
      await reader.destroy()
    }
  },
  {
    onStorageFault: (fault) => ({ is: 'held', fault }),
    describe: (error) =>
      error instanceof ApiError
        ? refusal('sending_cannot_continue', { fault: refusalOf(error) })
        : internalError('Sending', error)
  }
)
