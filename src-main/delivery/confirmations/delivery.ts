import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { JobOutcome } from '../../jobs/outcome.ts'
import type { RunningJob } from '../../jobs/run-job.ts'
import type { DeliveryData } from '../delivery.ts'
import { handOver } from '../hand-over.ts'
import { carriedFiles, MessageComposer } from '../message.ts'
import { confirmationOutboxPath, openOutbox } from '../outbox.ts'
import { SmtpRun } from '../smtp/smtp-run.ts'
import type { ConfirmationPlan } from './plan.ts'
import { confirmationMail, queuedSubscriptions } from './queries.ts'
import { ConfirmationWork } from './work.ts'

/** Messages that are written to the outbox at once. */
const writtenAtOnce = 100

/** Sends the confirmation messages of a form. */
export async function sendConfirmations(
  job: RunningJob<DeliveryData>,
  reader: Kysely<Schema>
): Promise<JobOutcome> {
  const { id, client, dataDirectory, signal, data } = job
  const plan = await client.run('confirmationDeliveries.begin', { id, linkBase: data.linkBase })
  if (!plan) return { is: 'stopped' }
  const fault = await handOver({ reader, ...job, ...data }, plan.message)
  if (fault) return signal.aborted ? { is: 'stopped' } : { is: 'held', fault }
  const composer = new MessageComposer(plan.message, await carriedFiles(reader, plan.message))
  if (!plan.route) return writeConfirmations(job, reader, plan, composer)
  const work = new ConfirmationWork(job, reader, plan, plan.route, composer)
  return new SmtpRun(work, reader, { dataDirectory, signal, client, ...data }).run()
}

/** Appends the messages to the form's outbox; the position is stored with them, so that an interruption writes none twice. */
async function writeConfirmations(
  { id, client, dataDirectory, signal }: RunningJob<DeliveryData>,
  reader: Kysely<Schema>,
  plan: ConfirmationPlan,
  composer: MessageComposer
): Promise<JobOutcome> {
  const transport = openOutbox(confirmationOutboxPath(dataDirectory, id), plan.position)
  try {
    for (;;) {
      if (signal.aborted) return { is: 'stopped' }
      const rows = await queuedSubscriptions(reader, id, writtenAtOnce)
      if (rows.length === 0) return { is: 'finished' }
      const messages = rows.map((row) => {
        const { contentId, addressee } = confirmationMail(plan, row)
        return composer.compose(contentId, addressee)
      })
      const position = transport.send(messages)
      const subscriptionIds = rows.map((row) => row.id)
      const goesOn = await client.run('confirmationDeliveries.recordWritten', {
        id,
        subscriptionIds,
        position
      })
      if (!goesOn) {
        transport.takeBack(plan.position)
        return { is: 'stopped' }
      }
      plan.position = position
    }
  } finally {
    transport.close()
  }
}
