import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import type { Job, JobKind } from '../../jobs/job-runner.ts'
import type { DeliveryData } from '../delivery.ts'
import { type DeliveryServices, graceOnClose, secretsOf } from '../delivery-jobs.ts'
import { autorespondersToSend, serversOfAutoresponder } from './queries.ts'

const maxAtOnce = 4

/** Runs autoresponders that have messages which are due. */
export function autoresponderJobs(
  reader: Kysely<Schema>,
  writer: Pick<Writer, 'run'>,
  { credentials, linkBase, schedule }: DeliveryServices
): JobKind<Job> {
  return {
    name: 'Sending an autoresponder',
    entity: 'autoresponder',
    thread: { base: import.meta.url, name: 'autoresponder-thread' },
    threadData: async ({ id }): Promise<DeliveryData> => ({
      linkBase,
      secrets: await secretsOf(await serversOfAutoresponder(reader, id), credentials),
      schedule
    }),
    restartsOn: ({ entity }) => entity === 'smtp_server' || entity === 'delivery_route',
    graceOnClose,
    unfinished: () => autorespondersToSend(reader),
    mayStart: (_job, running) => running.length < maxAtOnce,
    end: (id, end) => writer.run('autoresponderDeliveries.end', { id, end })
  }
}
