import type { KeyObject } from 'node:crypto'
import type { Kysely, Selectable } from 'kysely'
import { notFound } from '../../base/errors.ts'
import { presentStored } from '../../base/stored-refusal.ts'
import { formatOptionalTime, formatTime } from '../../base/times.ts'
import type { Schema } from '../../database/schema.ts'
import type { EventType } from '../events/schema.ts'
import { webhookIdOf } from './rules.ts'
import type { Webhook, WebhookMessage, WebhookMessageState } from './schema.ts'
import type { WebhookMessagesTable, WebhooksTable } from './tables.ts'

export type WebhookRow = Selectable<WebhooksTable>
export type WebhookMessageRow = Selectable<WebhookMessagesTable>

/** By id. */
export function webhooksOf(db: Kysely<Schema>, organizationId: number): Promise<WebhookRow[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
}

/** @throws ApiError not_found */
export async function webhookById(
  db: Kysely<Schema>,
  organizationId: number,
  id: number
): Promise<WebhookRow> {
  const row = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('webhook', id)
  return row
}

export function eventTypesOf({ event_types }: Pick<WebhookRow, 'event_types'>): EventType[] {
  return JSON.parse(event_types) as EventType[]
}

/** Returns messages that are to be delivered, oldest first. */
export function waitingMessages(
  db: Kysely<Schema>,
  webhookId: number,
  limit: number
): Promise<WebhookMessageRow[]> {
  return db
    .selectFrom('webhook_messages')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'waiting')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Returns how many events wait in messages. */
export async function countWaitingEvents(db: Kysely<Schema>, webhookId: number): Promise<number> {
  const { count } = await db
    .selectFrom('webhook_messages')
    .select((select) => select.fn.sum<number | null>('events').as('count'))
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow()
  return count ?? 0
}

/**
 * Returns when the first waiting message of any chain may be sent, in UNIX milliseconds; null if none waits. The messages of a subscriber are
 * one chain, and all batches are one; after the size of batches was changed, those of before come first.
 */
export async function firstDueAt(db: Kysely<Schema>, webhookId: number): Promise<number | null> {
  const [oldest] = await waitingMessages(db, webhookId, 1)
  if (!oldest) return null
  const heads = db
    .selectFrom('webhook_messages')
    .select((select) => select.fn.min('id').as('id'))
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'waiting')
    .where('subscriber_id', oldest.subscriber_id === null ? 'is' : 'is not', null)
    .groupBy('subscriber_id')
  const { next_at } = await db
    .selectFrom('webhook_messages')
    .select((select) => select.fn.min<number | null>('next_at').as('next_at'))
    .where('id', 'in', heads)
    .executeTakeFirstOrThrow()
  return next_at
}

export async function countMessages(
  db: Kysely<Schema>,
  webhookId: number,
  state: WebhookMessageState
): Promise<number> {
  const { count } = await db
    .selectFrom('webhook_messages')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('webhook_id', '=', webhookId)
    .where('state', '=', state)
    .executeTakeFirstOrThrow()
  return count
}

/** Returns messages of a webhook before one, newest first. @param before null = from the newest on */
export function messagesBefore(
  db: Kysely<Schema>,
  webhookId: number,
  { state, before, limit }: { state?: WebhookMessageState; before: number | null; limit: number }
): Promise<WebhookMessageRow[]> {
  let query = db.selectFrom('webhook_messages').selectAll().where('webhook_id', '=', webhookId)
  if (state !== undefined) query = query.where('state', '=', state)
  if (before !== null) query = query.where('id', '<', before)
  return query.orderBy('id', 'desc').limit(limit).execute()
}

/** @throws ApiError not_found */
export async function messageById(
  db: Kysely<Schema>,
  webhookId: number,
  id: number
): Promise<WebhookMessageRow> {
  const row = await db
    .selectFrom('webhook_messages')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('message', id)
  return row
}

export async function presentWebhook(
  db: Kysely<Schema>,
  row: WebhookRow,
  timeZone: string
): Promise<Webhook> {
  const { id, name, url, batch_size, failing_since } = row
  const isHeld = row.held_until > 0 && row.is_enabled === 1
  return {
    ...{ id, name, url, batch_size },
    event_types: eventTypesOf(row),
    allows_private_addresses: row.allows_private_addresses === 1,
    is_enabled: row.is_enabled === 1,
    has_secret: row.credential_place !== null,
    waiting: await countMessages(db, id, 'waiting'),
    given_up: await countMessages(db, id, 'given_up'),
    delivered_at: formatOptionalTime(row.delivered_at, timeZone),
    failing_since: formatOptionalTime(failing_since, timeZone),
    next_attempt_at: isHeld ? formatTime(row.held_until, timeZone) : null,
    disabled_at: formatOptionalTime(row.disabled_at, timeZone),
    ...presentStored(row.fault),
    created_at: formatTime(row.created_at, timeZone),
    updated_at: formatTime(row.updated_at, timeZone)
  }
}

export function presentMessage(
  row: WebhookMessageRow,
  signingSecret: KeyObject,
  timeZone: string
): WebhookMessage {
  const { id, first_event_id, last_event_id, events, state, attempts, milliseconds, status, answer } = row
  return {
    ...{ id, first_event_id, last_event_id, events, state, attempts, milliseconds, status, answer },
    webhook_id: webhookIdOf(signingSecret, row),
    attempted_at: formatOptionalTime(row.attempted_at, timeZone),
    next_attempt_at: state === 'waiting' && row.next_at > 0 ? formatTime(row.next_at, timeZone) : null,
    created_at: formatTime(row.created_at, timeZone)
  }
}
