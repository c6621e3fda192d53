import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { ContentFormat } from '../api/autoresponders/schema.ts'
import { recipientsAfter } from '../api/campaigns/delivery-queries.ts'
import { suppressedAmong } from '../api/suppression-lists/queries.ts'
import { noCounters } from '../api/statistics/rules.ts'
import type { Counters } from '../api/statistics/schema.ts'
import { kyselyOver, openForReading } from '../database/connection.ts'
import { commandClientOver } from '../database/writer.ts'
import { ApiError, messageOf, storageFaultOf } from '../errors.ts'
import { countSegment } from '../segments/count.ts'
import { giveWay } from '../threads.ts'
import { linksOf } from './links.ts'
import { type Addressee, MessageComposer } from './message.ts'
import { openOutbox, outboxPath } from './outbox.ts'
import type { DeliveryPlan } from './plan.ts'
import { drawShares, lotOf, testedContent } from './split-test.ts'
import type { Transport } from './transport.ts'

// One phase of a campaign: subscribers by id -> messages -> transport -> counters. It reads on a connection of its own.

export interface DeliveryThreadOptions {
  campaignId: number
  dataDirectory: string
  /** Where links in messages lead, without a path. */
  linkBase: string
  /** To the writer thread. */
  writer: MessagePort
}

/** What the runner is told when a thread ends before its campaign does. */
export type DeliveryNote = DeliveryFault | { goesOnAt: number }

export interface DeliveryFault {
  /** Whether it can go on once somebody mended what the message says. */
  canGoOn: boolean
  message: string
}

/** Subscribers that are dealt with before what went out is counted and whether to go on is asked. */
const mostAtOnce = 250
/** Links that are noted at once, and recipients among whom contents are drawn. */
const [linksAtOnce, drawnAtOnce] = [200, 1000]
const hour = 3_600_000
/** A campaign whose speed makes it wait for longer gives its thread up meanwhile, in milliseconds. */
const longestPause = 10_000
const sentCounter = { both: 'sent_multipart', html: 'sent_html', text: 'sent_text' } as const

giveWay()
const { campaignId, dataDirectory, linkBase, writer } = workerData as DeliveryThreadOptions
const client = commandClientOver(writer)
const reader = kyselyOver(openForReading(join(dataDirectory, 'listwright.db')))
const stop = new AbortController()
parentPort?.once('message', () => stop.abort())
// Waiting for that must not keep the thread alive.
parentPort?.unref()

try {
  const plan = await begin()
  if (plan && (await countRecipients(plan)) && (await drawContents(plan)) && (await deliver(plan))) {
    await client.run('endDeliveryPass', { id: campaignId })
  }
} catch (error) {
  const storage = storageFaultOf(error)
  tell(
    storage
      ? { canGoOn: true, message: `${storage.message}, then continue the campaign` }
      : { canGoOn: false, message: whyItStopped(error) }
  )
} finally {
  await reader.destroy()
  writer.close()
}

/** What was refused says itself why. */
function whyItStopped(error: unknown): string {
  if (error instanceof ApiError) return `Sending cannot go on: ${error.message}`
  return `Sending was stopped by an internal error: ${messageOf(error)}`
}

function tell(note: DeliveryNote): void {
  parentPort?.postMessage(note)
}

/** @returns the plan, with the links of its contents noted; null when the campaign is not to be worked on */
async function begin(): Promise<DeliveryPlan | null> {
  const plan = await client.run('beginDelivery', { id: campaignId, linkBase })
  if (!plan || plan.hasLinks) return plan
  for (const { sliceId, ...content } of plan.message.contents) {
    const links = linksOf(content)
    for (let start = 0; start < links.length; start += linksAtOnce) {
      const urls = links.slice(start, start + linksAtOnce)
      if (!(await client.run('noteLinks', { id: campaignId, sliceId, urls }))) return null
    }
  }
  await client.run('noteAllLinks', { id: campaignId })
  return client.run('beginDelivery', { id: campaignId, linkBase })
}

/** Draws who gets which of several contents. @returns whether to go on */
async function drawContents(plan: DeliveryPlan): Promise<boolean> {
  const { contents } = plan.message
  if (contents.length < 2 || plan.shares) return true
  const lots: number[] = []
  for (let afterId: number | null = 0; afterId !== null;) {
    const rows = await recipientsAfter(reader, plan.recipients, afterId, drawnAtOnce)
    const suppressed = await suppressedAmong(
      reader,
      plan.recipients,
      rows.map(({ email }) => email)
    )
    for (const { id, email } of rows) if (!suppressed.has(email)) lots.push(lotOf(campaignId, id))
    afterId = rows.length < drawnAtOnce ? null : (rows.at(-1)?.id ?? null)
    if (stop.signal.aborted) return false
  }
  plan.shares = drawShares(Float64Array.from(lots), contents.length, plan.percentage)
  return client.run('noteShares', { id: campaignId, shares: plan.shares })
}

/** @returns whether to go on */
async function countRecipients({ recipients }: DeliveryPlan): Promise<boolean> {
  if (recipients.isCounted) return true
  const { active } = await countSegment(reader, recipients)
  return client.run('noteRecipients', { id: campaignId, recipients: active })
}

/** @returns whether everybody of this phase was dealt with; not when the campaign was paused or cancelled */
async function deliver(plan: DeliveryPlan): Promise<boolean> {
  const composer = new MessageComposer(plan.message)
  const transport = openOutbox(outboxPath(dataDirectory, campaignId), plan.progress.position)
  try {
    const began = performance.now()
    const perHour = plan.speed === 0 ? Infinity : plan.speed
    const atOnce = Math.max(1, Math.min(mostAtOnce, Math.floor(perHour / 3600)))
    let { afterId } = plan.progress
    let sent = 0
    let isFirst = plan.progress.position === 0
    for (;;) {
      const rows = await recipientsAfter(reader, plan.recipients, afterId, atOnce)
      afterId = rows.at(-1)?.id ?? afterId
      const chosen = rows.flatMap((row) => mailFor(plan, addresseeOf(row, plan)))
      const suppressed = await suppressedAmong(
        reader,
        plan.recipients,
        chosen.map(({ addressee }) => addressee.email)
      )
      const mails = [
        ...(isFirst ? seedMails(plan) : []),
        ...chosen.filter(({ addressee }) => !suppressed.has(addressee.email))
      ]
      isFirst = false
      sent += mails.length
      const left = chosen.filter(({ addressee }) => suppressed.has(addressee.email)).length
      if (!(await send(plan, composer, transport, mails, { afterId, suppressed: left }))) return false
      if (rows.length < atOnce) return true
      const early = Math.max(0, began + (sent / perHour) * hour - performance.now())
      if (early > longestPause) {
        tell({ goesOnAt: Date.now() + early })
        return false
      }
      await pause(early, undefined, { signal: stop.signal })
    }
  } catch (error) {
    if (stop.signal.aborted) return false
    // What is there of the messages that were not counted takes the space that noting the fault needs.
    transport.takeBack(plan.progress.position)
    throw error
  } finally {
    transport.close()
  }
}

interface Mail {
  contentId: number
  sliceId: number
  addressee: Addressee
  /** Messages to seed lists are no recipients of the campaign. */
  isSeed: boolean
}

/** Hands messages over and has them counted. @returns whether to go on */
async function send(
  plan: DeliveryPlan,
  composer: MessageComposer,
  transport: Transport,
  mails: Mail[],
  { afterId, suppressed }: { afterId: number; suppressed: number }
): Promise<boolean> {
  const messages = await Promise.all(mails.map((mail) => composer.compose(mail.contentId, mail.addressee)))
  const before = plan.progress.position
  const position = messages.length > 0 ? transport.send(messages) : before
  const counted = new Map<number, Counters>()
  for (const [index, mail] of mails.entries()) {
    const counters = counted.get(mail.sliceId) ?? noCounters()
    counted.set(mail.sliceId, counters)
    countMessage(counters, messages[index]?.format ?? 'both', mail.isSeed)
  }
  const goesOn = await client.run('noteSent', {
    id: campaignId,
    progress: { afterId, position },
    counted: [...counted].map(([sliceId, counters]) => ({ sliceId, counters })),
    suppressed
  })
  if (goesOn) plan.progress = { afterId, position }
  else transport.takeBack(before)
  return goesOn
}

/** What is handed over counts as delivered: the outbox has no bounces. */
function countMessage(counters: Counters, format: ContentFormat, isSeed: boolean): void {
  counters.total_messages++
  counters.total_success++
  if (isSeed) return
  counters.messages_sent++
  counters.delivered++
  counters[sentCounter[format]]++
  counters[format === 'text' ? 'messages_text' : 'messages_html']++
}

/** Each address of the seed lists gets each content, filled with the preview values of the list. */
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

/** The mail of a subscriber in this phase: one or none. */
function mailFor({ message, pass, shares }: DeliveryPlan, addressee: Addressee): Mail[] {
  const { contents, campaign } = message
  const place = shares ? testedContent(shares, lotOf(campaign.id, addressee.id)) : 0
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
