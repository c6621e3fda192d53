import { setTimeout as pause } from 'node:timers/promises'
import type { JobDatabase } from '../api/database-connections/queries.ts'
import { ApiError, refusalOf } from '../base/errors.ts'
import { type Refusal, refusal } from '../base/refusal.ts'
import type { Kysely } from 'kysely'
import type { ContentFormat } from '../api/autoresponders/schema.ts'
import { countInjected, noCounters } from '../api/statistics/rules.ts'
import type { Counters } from '../api/statistics/schema.ts'
import type { Schema } from '../database/schema.ts'
import type { JobOutcome } from '../jobs/outcome.ts'
import type { RunningJob } from '../jobs/run-job.ts'
import { countSegment } from '../segments/count.ts'
import { handOver } from './hand-over.ts'
import { linksOf } from './links.ts'
import { type CarriedFiles, carriedFiles, type ComposedMessage, MessageComposer } from './message.ts'
import { openOutbox, outboxPath } from './outbox.ts'
import { fillSpoolInThread } from '../remote-lists/fill-spool.ts'
import { spoolPath, SpoolReader } from '../remote-lists/spool.ts'
import type { DeliveryPlan, RemotePlan } from './plan.ts'
import { type RecipientSource, spooledRecipients, subscribersOf } from './recipient-source.ts'
import { type NextRecipients, nextRecipients, toHandedOverRecipients, seedMails } from './recipients.ts'
import { CampaignWork } from './smtp/campaign-work.ts'
import { SmtpRun } from './smtp/smtp-run.ts'
import { drawShares, drawOf } from './split-test.ts'
import type { SigningKey } from './signing.ts'
import type { RetrySchedule } from './smtp/retry-schedule.ts'
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
/** More recipients than this get no messages by SMTP while they could not unsubscribe. */
const mostWithoutUnsubscribing = 10
/** A gate that cannot be used is tried again after this long, in milliseconds. */
const gateTriedAfter = 60_000
/** A campaign that has to wait longer for its speed limit gives up its thread, in milliseconds. */
const maxPause = 10_000

export interface DeliveryData {
  /** For links without a URL domain, without a path. */
  linkBase: string
  /** The passwords and tokens of SMTP servers, by id; null = one cannot be read. */
  secrets: Readonly<Record<number, string | null>>
  signingKeys: readonly SigningKey[]
  /** The DNS servers to ask; none = those of the system. */
  dnsServers: readonly string[]
  schedule: RetrySchedule
  /** The keys of gates, by URL domain; null = one cannot be read. */
  gateKeys: Readonly<Record<number, string | null>>
  /** The database of a Remote List's recipients; null = the campaign goes to subscribers. */
  database: JobDatabase | null
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
    if (!plan) return { is: 'stopped' }
    if (plan.remote && !plan.remote.spool) return this.#readRecipients(plan.remote)
    const source = this.#sourceOf(plan)
    if (!source) return this.#handleMissingSpool(plan)
    try {
      return await this.#sendTo(plan, source)
    } finally {
      source.close()
    }
  }

  async #sendTo(plan: DeliveryPlan, source: RecipientSource): Promise<JobOutcome> {
    if (!(await this.#countRecipients(plan)) || !(await this.#drawContents(plan, source))) {
      return { is: 'stopped' }
    }
    const mayUnsubscribe = plan.message.gate !== null || (plan.route?.mayUnsubscribe ?? true)
    if (!mayUnsubscribe && (plan.recipients.count ?? 0) > mostWithoutUnsubscribing) {
      return { is: 'held', fault: refusal('unsubscribe_way_missing', { most: mostWithoutUnsubscribing }) }
    }
    const fault = await handOver({ reader: this.#reader, ...this.#job, ...this.#job.data }, plan.message)
    if (fault) return this.#waitForGate(plan, fault)
    return this.#deliver(plan, source)
  }

  /** @returns null if the recipients that were read are not there any more */
  #sourceOf(plan: DeliveryPlan): RecipientSource | null {
    if (!plan.remote) return subscribersOf(this.#reader, plan)
    const { id, dataDirectory } = this.#job
    const spool = SpoolReader.open(spoolPath(dataDirectory, id), plan.remote.spool?.fileKey ?? '')
    return spool && spooledRecipients(this.#reader, plan, spool)
  }

  /** Before the first message they can be read again; later that would not give the same recipients the same numbers. */
  async #handleMissingSpool({ progress, pass }: DeliveryPlan): Promise<JobOutcome> {
    const { id, client } = this.#job
    const hasBegun = progress.afterId > 0 || progress.position > 0 || pass.kind === 'winner'
    if (hasBegun) return { is: 'held', fault: refusal('spool_missing') }
    await client.run('deliveries.forgetSpool', { id })
    return { is: 'stopped' }
  }

  /** Reads the recipients of a Remote List into a file; what comes next is decided by what is stored of it. */
  async #readRecipients({ query }: RemotePlan): Promise<JobOutcome> {
    const { id, client, dataDirectory, signal, data } = this.#job
    if (!data.database) throw new Error('the database of a Remote List is not known')
    const fail = async (fault: Refusal, pauses: readonly number[]): Promise<JobOutcome> => {
      await client.run('deliveries.recordReadingFailure', { id, fault, pauses })
      return { is: 'stopped' }
    }
    if ('fault' in data.database) return fail(data.database.fault, [])
    const { target, timeLimit } = data.database
    try {
      const path = spoolPath(dataDirectory, id)
      const spool = await fillSpoolInThread({ target, query, path, timeLimit }, signal)
      await client.run('deliveries.recordSpool', { id, spool })
      return { is: 'stopped' }
    } catch (error) {
      if (!(error instanceof ApiError) || signal.aborted) throw error
      return fail(refusalOf(error), data.schedule.readingPauses)
    }
  }

  /** No message leaves whose links lead nowhere. */
  async #waitForGate({ route, speed }: DeliveryPlan, fault: Refusal): Promise<JobOutcome> {
    const { id, client, signal } = this.#job
    if (signal.aborted) return { is: 'stopped' }
    const now = Date.now()
    await client.run('deliveries.wait', {
      ...{ id, for: 'gate', until: now + gateTriedAfter, fault, failures: route?.failures ?? 0 },
      ...{ readAt: now, speed }
    })
    return { is: 'stopped' }
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

  async #drawContents(plan: DeliveryPlan, source: RecipientSource): Promise<boolean> {
    const { id, signal } = this.#job
    const { contents } = plan.message
    if (contents.length < 2 || plan.shares) return true
    const draws: number[] = []
    for (let afterId: number | null = 0; afterId !== null;) {
      const rows = await source.after(afterId, drawnAtOnce)
      const leftOut = await source.leftOut(rows.map(({ email }) => email))
      for (const row of rows) if (!leftOut.has(row.email)) draws.push(drawOf(id, row.id))
      afterId = rows.length < drawnAtOnce ? null : (rows.at(-1)?.id ?? null)
      if (signal.aborted) return false
    }
    plan.shares = drawShares(Float64Array.from(draws), contents.length, plan.percentage)
    return this.#job.client.run('deliveries.recordShares', { id, shares: plan.shares })
  }

  async #countRecipients({ recipients }: DeliveryPlan): Promise<boolean> {
    if (recipients.count !== null) return true
    const { active } = await countSegment(this.#reader, recipients)
    recipients.count = active
    return this.#job.client.run('deliveries.recordRecipients', { id: this.#job.id, recipients: active })
  }

  async #deliver(plan: DeliveryPlan, source: RecipientSource): Promise<JobOutcome> {
    const { id, dataDirectory, signal, client, data } = this.#job
    const files = await carriedFiles(this.#reader, plan.message)
    const composer = new MessageComposer(plan.message, files)
    if (plan.route) {
      const work = new CampaignWork(this.#job, this.#reader, plan, source, plan.route, composer)
      return new SmtpRun(work, this.#reader, { dataDirectory, signal, client, ...data }).run()
    }
    const transport = openOutbox(outboxPath(dataDirectory, id), plan.progress.position)
    try {
      const began = performance.now()
      const perHour = plan.speed === 0 ? Infinity : plan.speed
      const most = Math.min(maxAtOnce, Math.floor(perHour / 3600), atOnceOf(plan, files))
      const atOnce = Math.max(1, most)
      let sent = 0
      const prepare = (afterId: number): Promise<Batch> =>
        this.#prepare(plan, source, composer, atOnce, afterId)
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
        if (early > maxPause) return this.#waitForSpeed(plan, Date.now() + early)
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

  /** @param until UNIX milliseconds; nothing is stored if the speed was changed meanwhile: the job goes on at once then */
  async #waitForSpeed({ speed }: DeliveryPlan, until: number): Promise<JobOutcome> {
    const { id, client } = this.#job
    await client.run('deliveries.wait', {
      ...{ id, for: 'speed', until: Math.ceil(until), fault: null, failures: 0 },
      ...{ readAt: Date.now(), speed }
    })
    return { is: 'stopped' }
  }

  /** Composes the messages to the next recipients; those to seed lists come before all others. */
  async #prepare(
    plan: DeliveryPlan,
    source: RecipientSource,
    composer: MessageComposer,
    atOnce: number,
    afterId: number
  ): Promise<Batch> {
    const next = await nextRecipients(source, plan, afterId, atOnce)
    const isFirst = plan.progress.position === 0 && afterId === plan.progress.afterId
    const mails = isFirst ? [...seedMails(plan), ...next.mails] : next.mails
    const messages = mails.map(({ contentId, addressee }) => composer.compose(contentId, addressee))
    return { ...next, mails, messages, preparedAt: performance.now() }
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
      suppressed,
      recipients: toHandedOverRecipients(mails)
    })
    if (goesOn) plan.progress = { afterId, position }
    else transport.takeBack(before)
    return goesOn
  }
}

/** Returns how many messages a batch may hold, so that it stays below bytesAtOnce. */
function atOnceOf({ message }: DeliveryPlan, { images, attachments }: CarriedFiles): number {
  const carried = [...images, ...attachments].reduce((sum, { bytes }) => sum + bytes.length, 0)
  const written = Math.max(...message.contents.map(({ html, text }) => html.length + text.length))
  return Math.floor(bytesAtOnce / (carried + written + 1))
}

/** Messages that are handed over before they are counted. */
interface Batch extends NextRecipients {
  /** One for each mail. */
  messages: ComposedMessage[]
  /** When its messages were composed, by performance.now(). */
  preparedAt: number
}

/** Handing over counts as delivery: the outbox has no bounces. */
function countMessage(counters: Counters, format: ContentFormat, isSeed: boolean): void {
  countInjected(counters, format, isSeed, 1)
  counters.total_success++
  if (!isSeed) counters.delivered++
}
