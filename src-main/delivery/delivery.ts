import { setTimeout as pause } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { ContentFormat } from '../api/autoresponders/schema.ts'
import { recipientsAfter } from './queries.ts'
import { suppressedAmong } from '../api/suppression-lists/queries.ts'
import { noCounters } from '../api/statistics/rules.ts'
import type { Counters } from '../api/statistics/schema.ts'
import type { Schema } from '../database/schema.ts'
import type { JobOutcome } from '../jobs/outcome.ts'
import type { RunningJob } from '../jobs/run-job.ts'
import { countSegment } from '../segments/count.ts'
import { linksOf } from './links.ts'
import type { Image } from '../api/images/queries.ts'
import { type Addressee, type ComposedMessage, imagesCarried, MessageComposer } from './message.ts'
import { openOutbox, outboxPath } from './outbox.ts'
import type { DeliveryPlan } from './plan.ts'
import { drawShares, drawOf, testedContent } from './split-test.ts'
import type { Transport } from './transport.ts'

/** Subscribers that are dealt with before what went out is counted and whether to go on is asked. */
const maxAtOnce = 250
/** Limit of a batch's messages in bytes: two batches are in memory several times until they are written. */
const bytesAtOnce = 8 * 1024 * 1024
/**
 * Milliseconds that a composed batch may wait for the last one to be counted, before its recipients are read again: a subscriber may have
 * unsubscribed meanwhile.
 */
const maxAge = 250
/** Links stored at once, and recipients whose contents are drawn at once. */
const [linksAtOnce, drawnAtOnce] = [200, 1000]
const hour = 3_600_000
/** A campaign that has to wait longer for its speed limit gives up its thread, in milliseconds. */
const maxPause = 10_000
const sentCounter = { both: 'sent_multipart', html: 'sent_html', text: 'sent_text' } as const

export interface DeliveryData {
  /** For links without a URL domain, without a path. */
  linkBase: string
}

/** One phase of a campaign: subscribers by id -> messages -> transport -> counters. */
export class Delivery {
  readonly #job: RunningJob<DeliveryData>
  readonly #reader: Kysely<Schema>

  constructor(job: RunningJob<DeliveryData>, reader: Kysely<Schema>) {
    this.#job = job
    this.#reader = reader
  }

  async run(): Promise<JobOutcome> {
    const plan = await this.#begin()
    if (!plan || !(await this.#countRecipients(plan)) || !(await this.#drawContents(plan))) {
      return { is: 'stopped' }
    }
    return this.#deliver(plan)
  }

  /** @returns the plan, with the links of its contents noted; null when the campaign is not to be worked on */
  async #begin(): Promise<DeliveryPlan | null> {
    const { id } = this.#job
    const plan = await this.#job.client.run('deliveries.begin', { id, linkBase: this.#job.data.linkBase })
    if (!plan || plan.hasLinks) return plan
    for (const { sliceId, ...content } of plan.message.contents) {
      const links = linksOf(content)
      for (let start = 0; start < links.length; start += linksAtOnce) {
        const urls = links.slice(start, start + linksAtOnce)
        if (!(await this.#job.client.run('deliveries.recordLinks', { id, sliceId, urls }))) return null
      }
    }
    await this.#job.client.run('deliveries.recordAllLinks', { id })
    return this.#job.client.run('deliveries.begin', { id, linkBase: this.#job.data.linkBase })
  }

  async #drawContents(plan: DeliveryPlan): Promise<boolean> {
    const { id, signal } = this.#job
    const { contents } = plan.message
    if (contents.length < 2 || plan.shares) return true
    const draws: number[] = []
    for (let afterId: number | null = 0; afterId !== null;) {
      const rows = await recipientsAfter(this.#reader, plan.recipients, afterId, drawnAtOnce)
      const suppressed = await suppressedAmong(
        this.#reader,
        plan.recipients,
        rows.map(({ email }) => email)
      )
      for (const row of rows) if (!suppressed.has(row.email)) draws.push(drawOf(id, row.id))
      afterId = rows.length < drawnAtOnce ? null : (rows.at(-1)?.id ?? null)
      if (signal.aborted) return false
    }
    plan.shares = drawShares(Float64Array.from(draws), contents.length, plan.percentage)
    return this.#job.client.run('deliveries.recordShares', { id, shares: plan.shares })
  }

  async #countRecipients({ recipients }: DeliveryPlan): Promise<boolean> {
    if (recipients.isCounted) return true
    const { active } = await countSegment(this.#reader, recipients)
    return this.#job.client.run('deliveries.recordRecipients', { id: this.#job.id, recipients: active })
  }

  async #deliver(plan: DeliveryPlan): Promise<JobOutcome> {
    const { id, dataDirectory, signal } = this.#job
    const images = await imagesCarried(this.#reader, plan.message)
    const composer = new MessageComposer(plan.message, images)
    const transport = openOutbox(outboxPath(dataDirectory, id), plan.progress.position)
    try {
      const began = performance.now()
      const perHour = plan.speed === 0 ? Infinity : plan.speed
      const most = Math.min(maxAtOnce, Math.floor(perHour / 3600), atOnceOf(plan, images))
      const atOnce = Math.max(1, most)
      let sent = 0
      const prepare = (afterId: number): Promise<Batch> => this.#prepare(plan, composer, atOnce, afterId)
      for (let batch = await prepare(plan.progress.afterId); ;) {
        const sending = this.#send(plan, transport, batch)
        // While the writer counts a batch, the next one is composed; under a speed limit recipients are read when it is their turn.
        const isAhead = plan.speed === 0 && !batch.isLast
        const [sentBatch, ahead] = await Promise.allSettled([
          sending,
          isAhead ? prepare(batch.afterId) : null
        ])
        if (sentBatch.status === 'rejected') throw sentBatch.reason
        if (!sentBatch.value) return { is: 'stopped' }
        if (batch.isLast) return { is: 'finished' }
        sent += batch.mails.length
        const early = Math.max(0, began + (sent / perHour) * hour - performance.now())
        if (early > maxPause) return { is: 'later', at: Date.now() + early }
        await pause(early, undefined, { signal })
        if (ahead.status === 'rejected') throw ahead.reason
        const next = ahead.value
        batch = next && performance.now() - next.preparedAt < maxAge ? next : await prepare(batch.afterId)
      }
    } catch (error) {
      // Removes the messages that were not counted: their space is needed to store the fault.
      if (!signal.aborted) transport.takeBack(plan.progress.position)
      throw error
    } finally {
      transport.close()
    }
  }

  /** Composes the messages to the next recipients; those to seed lists come before all others. */
  async #prepare(
    plan: DeliveryPlan,
    composer: MessageComposer,
    atOnce: number,
    afterId: number
  ): Promise<Batch> {
    const rows = await recipientsAfter(this.#reader, plan.recipients, afterId, atOnce)
    const chosen = rows.flatMap((row) => mailFor(plan, addresseeOf(row, plan)))
    const suppressed = await suppressedAmong(
      this.#reader,
      plan.recipients,
      chosen.map(({ addressee }) => addressee.email)
    )
    const allowed = chosen.filter(({ addressee }) => !suppressed.has(addressee.email))
    const isFirst = plan.progress.position === 0 && afterId === plan.progress.afterId
    const mails = isFirst ? [...seedMails(plan), ...allowed] : allowed
    const messages = mails.map(({ contentId, addressee }) => composer.compose(contentId, addressee))
    return {
      mails,
      messages,
      preparedAt: performance.now(),
      suppressed: chosen.length - allowed.length,
      afterId: rows.at(-1)?.id ?? afterId,
      isLast: rows.length < atOnce
    }
  }

  async #send(
    plan: DeliveryPlan,
    transport: Transport,
    { mails, messages, suppressed, afterId }: Batch
  ): Promise<boolean> {
    const before = plan.progress.position
    const position = messages.length > 0 ? transport.send(messages) : before
    const counted = new Map<number, { counters: Counters; subscriberIds: number[] }>()
    for (const [index, { sliceId, isSeed, addressee }] of mails.entries()) {
      const slice = counted.get(sliceId) ?? { counters: noCounters(), subscriberIds: [] }
      counted.set(sliceId, slice)
      countMessage(slice.counters, messages[index]?.format ?? 'both', isSeed)
      if (!isSeed) slice.subscriberIds.push(addressee.id)
    }
    const goesOn = await this.#job.client.run('deliveries.recordSent', {
      id: this.#job.id,
      progress: { afterId, position },
      counted: [...counted].map(([sliceId, slice]) => ({ sliceId, ...slice })),
      suppressed
    })
    if (goesOn) plan.progress = { afterId, position }
    else transport.takeBack(before)
    return goesOn
  }
}

/** Returns how many messages a batch may hold, so that it stays below bytesAtOnce. */
function atOnceOf({ message }: DeliveryPlan, images: readonly Image[]): number {
  const carried = images.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const written = Math.max(...message.contents.map(({ html, text }) => html.length + text.length))
  return Math.floor(bytesAtOnce / (carried + written + 1))
}

/** Messages that are handed over before they are counted. */
interface Batch {
  mails: Mail[]
  /** One for each mail. */
  messages: ComposedMessage[]
  suppressed: number
  /** When its messages were composed, by performance.now(). */
  preparedAt: number
  /** The last subscriber of the batch. */
  afterId: number
  isLast: boolean
}

interface Mail {
  contentId: number
  sliceId: number
  addressee: Addressee
  /** Messages to seed lists are no recipients of the campaign. */
  isSeed: boolean
}

/** Handing over counts as delivery: the outbox has no bounces. */
function countMessage(counters: Counters, format: ContentFormat, isSeed: boolean): void {
  counters.total_messages++
  counters.total_success++
  if (isSeed) return
  counters.messages_sent++
  counters.delivered++
  counters[sentCounter[format]]++
  counters[format === 'text' ? 'messages_text' : 'messages_html']++
}

function seedMails({ seeds, message }: DeliveryPlan): Mail[] {
  return seeds.addresses.flatMap((email) =>
    message.contents.map(({ id, sliceId }) => ({
      contentId: id,
      sliceId,
      addressee: {
        id: 0,
        email,
        subscribe_time: Date.now(),
        subscribe_ip: null,
        values: seeds.values,
        format: null
      },
      isSeed: true
    }))
  )
}

function mailFor({ message, pass, shares }: DeliveryPlan, addressee: Addressee): Mail[] {
  const { contents, campaign } = message
  const place = shares ? testedContent(shares, drawOf(campaign.id, addressee.id)) : 0
  if (pass.kind === 'winner' && place !== null) return []
  const content =
    pass.kind === 'winner'
      ? contents.find(({ id }) => id === pass.contentId)
      : place === null
        ? undefined
        : contents[place]
  return content ? [{ contentId: content.id, sliceId: content.sliceId, addressee, isSeed: false }] : []
}

function addresseeOf(
  row: Awaited<ReturnType<typeof recipientsAfter>>[number],
  { recipients }: DeliveryPlan
): Addressee {
  const { custom_fields, email_format, ...rest } = row
  return {
    ...rest,
    values: JSON.parse(custom_fields) as Addressee['values'],
    format: recipients.chooseFormat && email_format === 'plaintext' ? 'text' : null
  }
}
