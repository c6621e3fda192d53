import type { Insertable, Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { eventsAfter, newestEventId } from '../api/events/queries.ts'
import { recordUnlogged, sendWaitingNow } from '../api/webhooks/commands.ts'
import { countMessages, countWaitingEvents, eventTypesOf, type WebhookRow } from '../api/webhooks/queries.ts'
import { maxWaiting } from '../api/webhooks/rules.ts'
import type { WebhookMessagesTable } from '../api/webhooks/tables.ts'
import { refusal } from '../base/refusal.ts'
import { storeRefusal, type StoredRefusal } from '../base/stored-refusal.ts'
import { type Command, type CommandContext, inBackground } from '../database/command.ts'
import type { JobEnd } from '../jobs/outcome.ts'
import type { Attempt } from './receiver.ts'
import { leastFailures, longestHold, maxFailuresInRow, retriedFor, waitAfter } from './retries.ts'

/** Events that messages are made of at once. */
const preparedAtOnce = 500
/** A job that failed by itself is tried again after so many milliseconds. */
const intervalAfterFault = 60_000

/** Makes messages of the next events, unless as many wait already that there is no use in more. */
const prepareMessages = inBackground<{ id: number }, void>(async (context, { id }) => {
  const { db } = context
  const webhook = await enabledWebhook(context, id)
  if (!webhook || (await hasEnoughWaiting(db, id))) return
  const { organization_id: organizationId, position, batch_size: batchSize } = webhook
  const newest = await newestEventId(db)
  const rows = await eventsAfter(
    db,
    { organizationId, types: eventTypesOf(webhook) },
    { after: position, until: newest, limit: preparedAtOnce }
  )
  const messages: Insertable<WebhookMessagesTable>[] = []
  for (let at = 0; at < rows.length; at += batchSize) {
    const events = rows.slice(at, at + batchSize)
    const [first, last] = [events[0]?.id ?? 0, events.at(-1)?.id ?? 0]
    messages.push({
      ...{
        webhook_id: id,
        event_types: webhook.event_types,
        first_event_id: first,
        last_event_id: last,
        events: events.length
      },
      ...{ subscriber_id: batchSize === 1 ? (events[0]?.subscriber_id ?? null) : null },
      ...{ state: 'waiting', created_at: context.now }
    })
  }
  // SQLite takes at most 32,766 values at once.
  if (messages.length > 0) await db.insertInto('webhook_messages').values(messages).execute()
  const isAll = rows.length < preparedAtOnce
  await db
    .updateTable('webhooks')
    .set({ position: isAll ? newest : (rows.at(-1)?.id ?? newest) })
    .where('id', '=', id)
    .execute()
})

/** True if there is no use in more messages. */
export async function hasEnoughWaiting(db: Kysely<Schema>, id: number): Promise<boolean> {
  const messages = await countMessages(db, id, 'waiting')
  return messages >= maxWaiting.messages || (await countWaitingEvents(db, id)) >= maxWaiting.events
}

interface Attempted {
  id: number
  /** Of messages, in the order in which they ended. */
  attempts: (Attempt & { messageId: number })[]
  /** Messages whose events are no longer stored, or no longer wanted. */
  gone: number[]
}

/** Stores what became of messages, and when the others are sent. */
const recordAttempts = inBackground<Attempted, void>(async (context, { id, attempts, gone }) => {
  const webhook = await enabledWebhook(context, id)
  if (!webhook) return
  for (const messageId of gone) {
    await context.db
      .updateTable('webhook_messages')
      .set({ state: 'given_up', status: null, answer: null })
      .where('id', '=', messageId)
      .execute()
  }
  let hasGivenUp = false
  for (const attempt of attempts) hasGivenUp = (await recordAttempt(context, attempt)) || hasGivenUp
  await recordState(context, webhook, attempts, hasGivenUp)
  recordUnlogged(context, webhook)
})

/** @returns true if the message was given up */
async function recordAttempt(
  { db, now }: CommandContext,
  { messageId, isAccepted, status, answer, at, milliseconds }: Attempt & { messageId: number }
): Promise<boolean> {
  const message = await db
    .selectFrom('webhook_messages')
    .select(['attempts', 'first_attempt_at'])
    .where('id', '=', messageId)
    .executeTakeFirst()
  if (!message) return false
  const tried = message.attempts + 1
  const since = message.first_attempt_at ?? at
  const isGivenUp = !isAccepted && tried > leastFailures && at - since >= retriedFor
  await db
    .updateTable('webhook_messages')
    .set({
      state: isAccepted ? 'delivered' : isGivenUp ? 'given_up' : 'waiting',
      ...{ attempts: tried, first_attempt_at: since, attempted_at: at, milliseconds, status, answer },
      next_at: now + waitAfter(tried)
    })
    .where('id', '=', messageId)
    .execute()
  return isGivenUp
}

/** Stores how the receiver does: while it takes nothing, one message at a time is tried. */
async function recordState(
  context: CommandContext,
  webhook: WebhookRow,
  attempts: readonly Attempt[],
  hasGivenUp: boolean
): Promise<void> {
  const { db, now } = context
  const delivered = attempts.findLast(({ isAccepted }) => isAccepted)
  const failed = attempts.findLast(({ isAccepted }) => !isAccepted)
  if (delivered) {
    await db
      .updateTable('webhooks')
      .set({
        ...{ failures: 0, failing_since: null, held_until: 0, fault: null },
        delivered_at: delivered.at + delivered.milliseconds
      })
      .where('id', '=', webhook.id)
      .execute()
    // The receiver is back: what it did not take is sent at once.
    if (webhook.failures > 0) await sendWaitingNow(context, webhook.id)
  } else if (failed) {
    const failures = isDown(webhook, attempts) ? webhook.failures + 1 : 0
    const since = webhook.failing_since ?? failed.at
    const isTooLong = now - since >= retriedFor && (failures > leastFailures || hasGivenUp)
    await db
      .updateTable('webhooks')
      .set({
        ...{ failures, failing_since: since, fault: faultOf(webhook, failed) },
        held_until: failures === 0 ? 0 : now + Math.min(waitAfter(failures), longestHold),
        // 410: the receiver wants no more.
        ...((isTooLong || failed.status === 410) && { is_enabled: 0, disabled_at: now })
      })
      .where('id', '=', webhook.id)
      .execute()
  }
}

/** False if the receiver works, and refuses only these messages. */
function isDown({ failures }: WebhookRow, attempts: readonly Attempt[]): boolean {
  const isOfServer = ({ status }: Attempt): boolean => status === null || status >= 500 || status === 429
  return failures > 0 || attempts.length >= maxFailuresInRow || attempts.some(isOfServer)
}

function faultOf({ url }: WebhookRow, { status, answer }: Attempt): StoredRefusal {
  return storeRefusal(
    status === null
      ? refusal('webhook_unreachable', { url, words: answer })
      : refusal('webhook_refused', { url, status })
  )
}

async function enabledWebhook({ db }: CommandContext, id: number): Promise<WebhookRow | undefined> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('is_enabled', '=', 1)
    .executeTakeFirst()
}

/** Stores how a job ended that failed by itself. */
const endDelivery: Command<{ id: number; end: JobEnd }, void> = async (context, { id, end }) => {
  const webhook = await enabledWebhook(context, id)
  if (!webhook || end.is === 'finished') return
  await context.db
    .updateTable('webhooks')
    .set({ held_until: context.now + intervalAfterFault, fault: storeRefusal(end.fault) })
    .where('id', '=', id)
    .execute()
  recordUnlogged(context, webhook)
}

export const webhookDeliveryCommands = {
  prepare: prepareMessages,
  record: recordAttempts,
  end: endDelivery
}

declare module '../database/command.ts' {
  interface CommandRegistry {
    webhookDeliveries: typeof webhookDeliveryCommands
  }
}
