import { join } from 'node:path'
import { kyselyOver, openForReading } from '../database/connection.ts'
import { ApiError, internalError } from '../base/errors.ts'
import { type RunningJob, runJobs } from '../jobs/run-job.ts'
import { Delivery } from './delivery.ts'

export interface DeliveryThreadData {
  /** Where links in messages lead that have no URL domain, without a path. */
  linkBase: string
}

// It reads on a connection of its own.
runJobs(
  async ({ data: { linkBase }, ...job }: RunningJob<DeliveryThreadData>) => {
    const reader = kyselyOver(openForReading(join(job.dataDirectory, 'listwright.db')))
    try {
      return await new Delivery(job, reader, linkBase).run()
    } finally {
      await reader.destroy()
    }
  },
  {
    onFullDisk: (message) => ({ is: 'held', message: `${message}, then continue the campaign` }),
    // What was refused says itself why.
    describe: (error) =>
      error instanceof ApiError ? `Sending cannot go on: ${error.message}` : internalError('Sending', error)
  }
)
