import type { Kysely } from 'kysely'
import { type EventRow, eventsAfter, newestEventId, writeEvents } from '../api/events/queries.ts'
import {
  eventTypesOf,
  waitingMessages,
  type WebhookMessageRow,
  type WebhookRow
} from '../api/webhooks/queries.ts'
import { maxWaiting, webhookIdOf } from '../api/webhooks/rules.ts'
import { internalError } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { kyselyOver, openForReading } from '../database/connection.ts'
import { databasePathIn } from '../database/database-path.ts'
import type { Schema } from '../database/schema.ts'
import type { JobOutcome } from '../jobs/outcome.ts'
import { type RunningJob, runJobs } from '../jobs/run-job.ts'
import { hasEnoughWaiting } from './commands.ts'
import { signingSecret } from '../settings/queries.ts'
import { type Attempt, maxConnections, WebhookClient } from './receiver.ts'
import { maxFailuresInRow } from './retries.ts'
import type { WebhookData } from './webhook-jobs.ts'

// Sends the events of one webhook.

/** Messages, and events in them, that are sent before their outcomes are stored: so many may be repeated after a kill. */
const sentAtOnce = { messages: 500, events: 2000 }

runJobs(deliver, {
  onStorageFault: (fault) => ({ is: 'held', fault }),
  describe: (error) => internalError('Delivering to a webhook', error)
})

type DeliveryJob = RunningJob<WebhookData>

async function deliver(job: DeliveryJob): Promise<JobOutcome> {
  const reader = kyselyOver(openForReading(databasePathIn(job.dataDirectory)))
  const webhook = await webhookOf(reader, job.id)
  const { secrets } = job.data
  if (webhook && secrets.length === 0) {
    await reader.destroy()
    return { is: 'held', fault: refusal('webhook_no_secret', { name: webhook.name }) }
  }
  const client = new WebhookClient({
    url: webhook?.url ?? '',
    allowsPrivate: webhook?.allows_private_addresses === 1,
    secrets
  })
  try {
    while (await deliverNext(job, reader, client));
    return { is: 'finished' }
  } finally {
    await client.close()
    await reader.destroy()
  }
}

function webhookOf(reader: Kysely<Schema>, id: number): Promise<WebhookRow | undefined> {
  return reader
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('is_enabled', '=', 1)
    .executeTakeFirst()
}

/** Sends the messages that are due. @returns false if there is nothing more to send now */
async function deliverNext(
  job: DeliveryJob,
  reader: Kysely<Schema>,
  client: WebhookClient
): Promise<boolean> {
  const { id, client: commands, signal } = job
  if (signal.aborted) return false
  await commands.run('webhookDeliveries.prepare', { id })
  const webhook = await webhookOf(reader, id)
  const now = Date.now()
  if (!webhook || webhook.held_until > now) return false
  const waiting = await waitingMessages(reader, id, maxWaiting.messages)
  // While the receiver takes nothing, one message finds out whether it does again: the one that was tried longest ago.
  const isProbing = webhook.failures > 0
  const due = dueChains(waiting, isProbing ? Number.POSITIVE_INFINITY : now)
  if (due.length === 0) {
    return !(await hasEnoughWaiting(reader, id)) && (await newestEventId(reader)) > webhook.position
  }
  const chains = isProbing ? [longestUntried(due)] : limited(due)
  const bodies = await bodiesOf(reader, webhook, chains.flat())
  const { attempts, gone } = await sendChains(chains, bodies, client, signal)
  await commands.run('webhookDeliveries.record', { id, attempts, gone })
  return true
}

/** Messages that are sent one after the other. */
type Chain = WebhookMessageRow[]

/**
 * Returns the waiting messages of each subscriber, or all batches, whose first one is due; the order of each is kept. After the size of
 * batches was changed, those of before are sent first.
 */
function dueChains(waiting: readonly WebhookMessageRow[], now: number): Chain[] {
  const isBatch = ({ subscriber_id }: WebhookMessageRow): boolean => subscriber_id === null
  const isFirstBatch = waiting[0] !== undefined && isBatch(waiting[0])
  const chains = new Map<number | null, Chain>()
  for (const message of waiting) {
    if (isBatch(message) !== isFirstBatch) break
    const chain = chains.get(message.subscriber_id)
    if (chain) chain.push(message)
    else chains.set(message.subscriber_id, [message])
  }
  return [...chains.values()].filter(([first]) => first !== undefined && first.next_at <= now)
}

function longestUntried(chains: readonly Chain[]): Chain {
  const [first] = chains.flatMap((chain) => chain.slice(0, 1)).sort((a, b) => a.next_at - b.next_at)
  return first ? [first] : []
}

/** Returns as much of the chains as is sent before outcomes are stored: at least one message. */
function limited(chains: readonly Chain[]): Chain[] {
  let left = sentAtOnce.events
  let messages = sentAtOnce.messages
  return chains.flatMap((chain) => {
    const taken: Chain = []
    for (const message of chain) {
      if (messages === 0 || left <= 0) break
      taken.push(message)
      messages--
      left -= message.events
    }
    return taken.length > 0 ? [taken] : []
  })
}

interface Body {
  webhookId: string
  text: string
}

/** Writes what is sent, by message. Those whose events are gone have none. */
async function bodiesOf(
  reader: Kysely<Schema>,
  webhook: WebhookRow,
  messages: readonly WebhookMessageRow[]
): Promise<Map<number, Body>> {
  const secret = await signingSecret(reader)
  const { organization_id: organizationId } = webhook
  const bodies = new Map<number, Body>()
  const singles = messages.filter(({ subscriber_id }) => subscriber_id !== null)
  const events = new Map((await eventsByIds(reader, singles)).map((row) => [row.id, row]))
  const rows = singles.flatMap(({ first_event_id }) => events.get(first_event_id) ?? [])
  const written = await writeEvents(reader, organizationId, rows)
  const texts = new Map(rows.map((row, index) => [row.id, written[index]?.text]))
  for (const message of messages) {
    const text =
      message.subscriber_id === null
        ? await batchOf(reader, webhook, message)
        : texts.get(message.first_event_id)
    if (text !== undefined) bodies.set(message.id, { webhookId: webhookIdOf(secret, message), text })
  }
  return bodies
}

function eventsByIds(reader: Kysely<Schema>, messages: readonly WebhookMessageRow[]): Promise<EventRow[]> {
  const ids = messages.map(({ first_event_id }) => first_event_id)
  return reader.selectFrom('events').selectAll().where('id', 'in', ids).execute()
}

async function batchOf(
  reader: Kysely<Schema>,
  webhook: WebhookRow,
  { first_event_id, last_event_id, events, event_types }: WebhookMessageRow
): Promise<string | undefined> {
  const { organization_id: organizationId } = webhook
  const rows = await eventsAfter(
    reader,
    { organizationId, types: eventTypesOf({ event_types }) },
    { after: first_event_id - 1, until: last_event_id, limit: events }
  )
  if (rows.length === 0) return undefined
  return `[${(await writeEvents(reader, organizationId, rows)).map(({ text }) => text).join(',')}]`
}

interface Sent {
  attempts: (Attempt & { messageId: number })[]
  gone: number[]
}

/** Sends chains at the same time. A chain ends with its first failure; after many failures in a row nothing more is begun. */
async function sendChains(
  chains: readonly Chain[],
  bodies: ReadonlyMap<number, Body>,
  client: WebhookClient,
  signal: AbortSignal
): Promise<Sent> {
  const sent: Sent = { attempts: [], gone: [] }
  const queue = [...chains].reverse()
  let failuresInRow = 0
  const work = async (): Promise<void> => {
    for (let chain = queue.pop(); chain; chain = queue.pop()) {
      for (const { id: messageId } of chain) {
        if (signal.aborted || failuresInRow >= maxFailuresInRow) return
        const body = bodies.get(messageId)
        if (!body) {
          sent.gone.push(messageId)
          continue
        }
        const attempt = await client.send(body.webhookId, body.text)
        sent.attempts.push({ ...attempt, messageId })
        failuresInRow = attempt.isAccepted ? 0 : failuresInRow + 1
        if (!attempt.isAccepted) break
      }
    }
  }
  await Promise.all(Array.from({ length: maxConnections }, work))
  return sent
}
