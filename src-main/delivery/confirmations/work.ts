import type { Kysely } from 'kysely'
import type { DeliveryWait } from '../../api/campaigns/tables.ts'
import type { Refusal } from '../../base/refusal.ts'
import type { Schema } from '../../database/schema.ts'
import type { JobOutcome } from '../../jobs/outcome.ts'
import type { RunningJob } from '../../jobs/run-job.ts'
import type { DeliveryData } from '../delivery.ts'
import type { ResolvedMessage } from '../journal.ts'
import type { MessageComposer } from '../message.ts'
import type { SmtpRoute } from '../plan.ts'
import type { JournaledRow, RecipientRow } from '../queries.ts'
import type { Mail } from '../recipients.ts'
import { QueueWork } from '../smtp/queue-work.ts'
import type { Advanced, Candidates, ClaimInput, SmtpWork } from '../smtp/smtp-work.ts'
import type { ConfirmationPlan } from './plan.ts'
import { confirmationMail, numberOf, queuedSubscriptions, subscriptionOf } from './queries.ts'

/** Subscriptions whose message leaves the queue: it is in the journal then. */
export interface ConfirmationStep {
  subscriptionIds: number[]
}

/** The confirmation messages of a form by SMTP. */
export class ConfirmationWork extends QueueWork<ConfirmationPlan> implements SmtpWork<ConfirmationStep> {
  constructor(
    job: RunningJob<DeliveryData>,
    reader: Kysely<Schema>,
    plan: ConfirmationPlan,
    route: SmtpRoute,
    composer: MessageComposer
  ) {
    super('confirmations', job, reader, plan, route, composer)
  }

  async nextNew(most: number): Promise<Candidates<ConfirmationStep> | null> {
    const rows = await queuedSubscriptions(this.reader, this.job.id, most)
    if (rows.length === 0) return null
    return {
      messages: rows.map((row) => ({
        mail: confirmationMail(this.plan, row),
        number: numberOf(row),
        attempts: null,
        details: null
      })),
      withdrawn: [],
      step: { subscriptionIds: rows.map(({ id }) => id) }
    }
  }

  async mailOf(row: JournaledRow): Promise<Mail | null> {
    const subscription = await subscriptionOf(this.reader, this.job.id, row.number)
    // One that was asked for again takes the place of the first.
    const isCurrent = subscription !== undefined && numberOf(subscription) === row.number
    return isCurrent ? confirmationMail(this.plan, subscription) : null
  }

  async reachable(): Promise<RecipientRow[]> {
    // Those who ask for a subscription are no subscribers yet.
    return []
  }

  advance(resolved: ResolvedMessage[], claim: ClaimInput<ConfirmationStep> | null): Promise<Advanced> {
    const { id, client, data } = this.job
    return client.run('confirmationDeliveries.advance', { id, resolved, claim, schedule: data.schedule })
  }

  async wait(
    _what: DeliveryWait,
    until: number,
    fault: Refusal | null,
    failures: number
  ): Promise<JobOutcome> {
    const { id, client } = this.job
    const { readAt } = this.route
    await client.run('confirmationDeliveries.wait', { id, until, fault, failures, readAt })
    return { is: 'stopped' }
  }
}
