import type { Kysely } from 'kysely'
import type { DeliveryWait } from '../../api/campaigns/tables.ts'
import type { Refusal } from '../../base/refusal.ts'
import type { Schema } from '../../database/schema.ts'
import type { JobOutcome } from '../../jobs/outcome.ts'
import type { RunningJob } from '../../jobs/run-job.ts'
import type { DeliveryData } from '../delivery.ts'
import type { ResolvedMessage } from '../journal.ts'
import type { MessageComposer } from '../message.ts'
import type { DeliveryPlan, SmtpRoute } from '../plan.ts'
import { type JournaledRow, type RecipientRow, seedMessagesOf } from '../queries.ts'
import type { RecipientSource } from '../recipient-source.ts'
import {
  addresseeOf,
  type HandedOverRecipient,
  type Mail,
  nextRecipients,
  toHandedOverRecipients,
  seedMails
} from '../recipients.ts'
import type { Advanced, Candidate, Candidates, ClaimInput, SmtpWork } from './smtp-work.ts'

/** The new checkpoint of a campaign. */
export interface CampaignStep {
  afterId: number
  suppressed: number
  /** Those who are no subscribers. */
  recipients: HandedOverRecipient[]
}

/** One phase of a campaign by SMTP: its seed lists, and then its recipients by id. */
export class CampaignWork implements SmtpWork<CampaignStep> {
  readonly campaignId: number
  readonly name: string
  readonly sender: string
  readonly route: SmtpRoute
  readonly composer: MessageComposer
  readonly sliceIds: readonly number[]
  readonly speed: number
  readonly endsBeforeRetries: boolean
  readonly #job: RunningJob<DeliveryData>
  readonly #reader: Kysely<Schema>
  readonly #plan: DeliveryPlan
  readonly #source: RecipientSource
  #afterId: number
  /** True if the recipients that were read last, or claimed, are the last ones. */
  #isLastRead = false
  #isLast = false
  /** Messages to seed lists that have yet to be claimed; null = not read yet. */
  #seeds: Candidate[] | null = null

  constructor(
    job: RunningJob<DeliveryData>,
    reader: Kysely<Schema>,
    plan: DeliveryPlan,
    source: RecipientSource,
    route: SmtpRoute,
    composer: MessageComposer
  ) {
    this.#job = job
    this.#reader = reader
    this.#plan = plan
    this.#source = source
    this.#afterId = plan.progress.afterId
    this.campaignId = job.id
    this.name = `campaign-${job.id}`
    this.sender = plan.message.sender.from_email
    this.route = route
    this.composer = composer
    this.sliceIds = plan.message.contents.map(({ sliceId }) => sliceId)
    this.speed = plan.speed
    // A split test is decided while some of its messages are tried again.
    this.endsBeforeRetries = plan.pass.kind === 'split_testing'
  }

  async nextNew(most: number): Promise<Candidates<CampaignStep> | null> {
    this.#seeds ??= await this.#seedsLeft()
    if (this.#seeds.length > 0) {
      return { messages: this.#seeds.slice(0, most), withdrawn: [], step: null }
    }
    if (this.#isLast) return null
    const next = await nextRecipients(this.#source, this.#plan, this.#afterId, most)
    const messages = next.mails.map((mail) => ({ mail, number: 0, attempts: null, details: null }))
    this.#isLastRead = next.isLast
    if (messages.length === 0 && next.isLast && next.suppressed === 0) return null
    const { afterId, suppressed } = next
    const recipients = toHandedOverRecipients(next.mails)
    return { messages, withdrawn: [], step: { afterId, suppressed, recipients } }
  }

  claimed({ messages, step }: Candidates<CampaignStep>): void {
    if (step) {
      this.#afterId = step.afterId
      this.#isLast = this.#isLastRead
    } else this.#seeds?.splice(0, messages.length)
  }

  mailOf(row: JournaledRow, subscriber: RecipientRow | undefined): Mail | null {
    const content = this.#plan.message.contents.find(({ sliceId }) => sliceId === row.stat_slice_id)
    if (!content) return null
    if (row.subscriber_id === 0) {
      const seeds = seedMails(this.#plan).filter(({ sliceId }) => sliceId === content.sliceId)
      return seeds.find(({ addressee }) => addressee.email === row.email) ?? null
    }
    if (!subscriber) return null
    const addressee = addresseeOf(subscriber, this.#plan.recipients.chooseFormat)
    return { contentId: content.id, sliceId: content.sliceId, addressee, isSeed: false }
  }

  async reachable(ids: readonly number[]): Promise<RecipientRow[]> {
    const rows = await this.#source.findByIds(ids)
    const leftOut = await this.#source.leftOut(rows.map(({ email }) => email))
    return rows.filter(({ email }) => !leftOut.has(email))
  }

  advance(resolved: ResolvedMessage[], claim: ClaimInput<CampaignStep> | null): Promise<Advanced> {
    const { id, client, data } = this.#job
    return client.run('deliveries.advance', { id, resolved, claim, schedule: data.schedule })
  }

  async wait(
    what: DeliveryWait,
    until: number,
    fault: Refusal | null,
    failures: number
  ): Promise<JobOutcome> {
    const { id, client } = this.#job
    const { readAt } = this.route
    await client.run('deliveries.wait', { id, for: what, until, fault, failures, readAt, speed: this.speed })
    return { is: 'stopped' }
  }

  async #seedsLeft(): Promise<Candidate[]> {
    if (this.#plan.pass.kind === 'winner') return []
    const rows = await seedMessagesOf(this.#reader, this.sliceIds)
    // By address: a seed list may change while a campaign is being sent.
    const known = new Set(rows.map((row) => `${row.stat_slice_id} ${row.email}`))
    const next = Math.max(-1, ...rows.map(({ number }) => number)) + 1
    return seedMails(this.#plan)
      .filter(({ sliceId, addressee }) => !known.has(`${sliceId} ${addressee.email}`))
      .map((mail, index) => ({ mail, number: next + index, attempts: null, details: null }))
  }
}
