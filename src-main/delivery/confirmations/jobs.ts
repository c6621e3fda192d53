import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import type { Job, JobKind } from '../../jobs/job-runner.ts'
import { type DeliveryServices, sendingByServers } from '../delivery-jobs.ts'
import { formsToSend, serversOfForm } from './queries.ts'

const maxAtOnce = 4

/** Runs forms that have confirmation messages to send. */
export function confirmationJobs(
  reader: Kysely<Schema>,
  writer: Pick<Writer, 'run'>,
  services: DeliveryServices
): JobKind<Job> {
  const sending = sendingByServers(reader, services, (id) => serversOfForm(reader, id))
  return {
    name: 'Sending confirmation messages',
    entity: 'pending_subscription',
    thread: { base: import.meta.url, name: 'confirmation-thread' },
    ...sending,
    // The sender and the link address are those of the list.
    restartsOn: (change) => change.entity === 'mailing_list' || (sending.restartsOn?.(change) ?? false),
    unfinished: () => formsToSend(reader),
    mayStart: (_job, running) => running.length < maxAtOnce,
    end: (id, end) => writer.run('confirmationDeliveries.end', { id, end })
  }
}
