import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import type { Job, JobKind } from '../../jobs/job-runner.ts'
import { type DeliveryServices, sendingByServers } from '../delivery-jobs.ts'
import { autorespondersToSend, serversOfAutoresponder } from './queries.ts'

const maxAtOnce = 4

/** Runs autoresponders that have messages which are due. */
export function autoresponderJobs(
  reader: Kysely<Schema>,
  writer: Pick<Writer, 'run'>,
  services: DeliveryServices
): JobKind<Job> {
  return {
    name: 'Sending an autoresponder',
    entity: 'autoresponder',
    thread: { base: import.meta.url, name: 'autoresponder-thread' },
    ...sendingByServers(reader, services, (id) => serversOfAutoresponder(reader, id)),
    unfinished: () => autorespondersToSend(reader),
    mayStart: (_job, running) => running.length < maxAtOnce,
    end: (id, end) => writer.run('autoresponderDeliveries.end', { id, end })
  }
}
