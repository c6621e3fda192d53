import type { Kysely } from 'kysely'
import { deliveriesToDo, type DeliveryJob } from './queries.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import type { JobKind } from '../jobs/job-runner.ts'
import type { DeliveryData } from './delivery.ts'

const maxAtOnce = 8

/**
 * Runs campaigns that are due or whose split test is due.
 * @param linkBase for links without a URL domain, without a path
 */
export function deliveryJobs(
  reader: Kysely<Schema>,
  writer: Pick<Writer, 'run'>,
  linkBase: string
): JobKind<DeliveryJob> {
  return {
    name: 'Sending',
    entity: 'campaign',
    thread: { base: import.meta.url, name: 'delivery-thread' },
    threadData: (): DeliveryData => ({ linkBase }),
    unfinished: (now) => deliveriesToDo(reader, now),
    // Choosing a winner is not held up by other campaigns that are being sent.
    mayStart: ({ isDecision }, running) => isDecision || running.length < maxAtOnce,
    end: (id, end) => writer.run('deliveries.end', { id, end })
  }
}
