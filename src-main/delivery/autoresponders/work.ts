import type { Kysely } from 'kysely'
import { replacementKey } from '../../api/autoresponders/rules.ts'
import type { DeliveryWait } from '../../api/campaigns/tables.ts'
import { suppressedAmong } from '../../api/suppression-lists/queries.ts'
import type { Refusal } from '../../base/refusal.ts'
import type { Schema } from '../../database/schema.ts'
import type { JobOutcome } from '../../jobs/outcome.ts'
import type { RunningJob } from '../../jobs/run-job.ts'
import type { DeliveryData } from '../delivery.ts'
import type { ResolvedMessage } from '../journal.ts'
import type { Addressee, MessageComposer } from '../message.ts'
import type { SmtpRoute } from '../plan.ts'
import { activeAmong, type JournaledRow, type RecipientRow } from '../queries.ts'
import { addresseeOf, type Mail } from '../recipients.ts'
import { QueueWork } from '../smtp/queue-work.ts'
import type { Advanced, Candidates, ClaimInput, SmtpWork } from '../smtp/smtp-work.ts'
import type { AutoresponderPlan } from './plan.ts'
import { dueReactions } from './queries.ts'

/** Queued messages that leave the queue: they are in the journal then, or not to be sent. */
export interface AutoresponderStep {
  reactionIds: number[]
}

/** Returns a message to the recipient of a queued one. @param replacements JSON of content_replacement_fields */
export function reactionMail(plan: AutoresponderPlan, recipient: RecipientRow, replacements: string): Mail {
  const [content] = plan.message.contents
  const given = Object.entries(JSON.parse(replacements) as Record<string, string>)
  const addressee: Addressee = {
    ...addresseeOf(recipient, plan.chooseFormat),
    ...(given.length > 0 && {
      replacements: new Map(given.map(([key, value]) => [replacementKey(key), value]))
    })
  }
  return { contentId: content.id, sliceId: plan.sliceId, addressee, isSeed: false }
}

/** The due messages of an autoresponder by SMTP. */
export class AutoresponderWork extends QueueWork<AutoresponderPlan> implements SmtpWork<AutoresponderStep> {
  /** When the run began: messages that become due later belong to the next one. */
  readonly #now = Date.now()

  constructor(
    job: RunningJob<DeliveryData>,
    reader: Kysely<Schema>,
    plan: AutoresponderPlan,
    route: SmtpRoute,
    composer: MessageComposer
  ) {
    super('autoresponder', job, reader, plan, route, composer)
  }

  async nextNew(most: number): Promise<Candidates<AutoresponderStep> | null> {
    const due = await dueReactions(this.reader, this.job.id, this.plan, {
      now: this.#now,
      afterId: 0,
      limit: most
    })
    if (due.length === 0) return null
    const messages = due.flatMap(({ id, replacements, recipient }) =>
      recipient
        ? [
            {
              mail: reactionMail(this.plan, recipient, replacements),
              number: id,
              attempts: null,
              details: replacements === '{}' ? null : replacements
            }
          ]
        : []
    )
    return { messages, withdrawn: [], step: { reactionIds: due.map(({ id }) => id) } }
  }

  mailOf(row: JournaledRow, subscriber: RecipientRow | undefined): Mail | null {
    return subscriber ? reactionMail(this.plan, subscriber, row.details ?? '{}') : null
  }

  async reachable(ids: readonly number[]): Promise<RecipientRow[]> {
    const active = await activeAmong(this.reader, ids)
    const emails = active.map(({ email }) => email)
    const suppressed = await suppressedAmong(this.reader, this.plan, emails)
    return active.filter(({ email }) => !suppressed.has(email))
  }

  advance(resolved: ResolvedMessage[], claim: ClaimInput<AutoresponderStep> | null): Promise<Advanced> {
    const { id, client, data } = this.job
    return client.run('autoresponderDeliveries.advance', { id, resolved, claim, schedule: data.schedule })
  }

  async wait(
    _what: DeliveryWait,
    until: number,
    fault: Refusal | null,
    failures: number
  ): Promise<JobOutcome> {
    const { id, client } = this.job
    const { readAt } = this.route
    await client.run('autoresponderDeliveries.wait', { id, until, fault, failures, readAt })
    return { is: 'stopped' }
  }
}
