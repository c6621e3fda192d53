import { type Kysely, sql } from 'kysely'
import { journalStates } from '../../api/journal/schema.ts'
import { membersOf } from '../../api/segments/queries.ts'
import { serversOfRoute, type SmtpServerRow } from '../../api/smtp-servers/queries.ts'
import { suppressedAmong } from '../../api/suppression-lists/queries.ts'
import type { Schema } from '../../database/schema.ts'
import type { Job } from '../../jobs/job-runner.ts'
import { activeAmong, type RecipientRow } from '../queries.ts'
import type { AutoresponderPlan } from './plan.ts'

/** Returns the autoresponders that are not paused and have messages, with the time at which the next one is due, in UNIX milliseconds. */
export async function autorespondersToSend(db: Kysely<Schema>): Promise<Job[]> {
  const { waiting, retry, in_flight } = journalStates
  const rows = await db
    .selectFrom('autoresponders')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'autoresponders.mailing_list_id')
    .leftJoin('autoresponder_deliveries as delivery', 'delivery.autoresponder_id', 'autoresponders.id')
    .select([
      'autoresponders.id',
      'waits_until',
      sql<number | null>`(SELECT min(due_at) FROM autoresponder_reactions
        WHERE autoresponder_id = autoresponders.id AND is_held = 0)`.as('queued'),
      sql<number | null>`(SELECT min(iif(state = ${sql.lit(in_flight)}, 0, due_at)) FROM stats
        JOIN stat_slices ON stat_slices.stat_id = stats.id
        JOIN message_journal ON message_journal.stat_slice_id = stat_slices.id AND state <> 2
          AND state IN (${sql.lit(waiting)}, ${sql.lit(in_flight)}, ${sql.lit(retry)})
        WHERE stats.autoresponder_id = autoresponders.id)`.as('journaled')
    ])
    .where('paused_at', 'is', null)
    .where('deleted_at', 'is', null)
    .orderBy('autoresponders.id')
    .execute()
  return rows.flatMap(({ id, waits_until, queued, journaled }) => {
    if (queued === null && journaled === null) return []
    const due = Math.min(queued ?? Infinity, journaled ?? Infinity)
    return [{ id, dueAt: Math.max(waits_until ?? 0, due) }]
  })
}

/** Returns the SMTP servers of an autoresponder's route; none for the outbox. */
export async function serversOfAutoresponder(db: Kysely<Schema>, id: number): Promise<SmtpServerRow[]> {
  const found = await db
    .selectFrom('autoresponders')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'autoresponders.mailing_list_id')
    .select(['organization_id', 'use_external_delivery_setting', 'd_virtual_mta_id', 'virtual_mta_id'])
    .where('autoresponders.id', '=', id)
    .executeTakeFirst()
  if (!found) return []
  const ofList = found.use_external_delivery_setting === 1
  const route = ofList ? found.d_virtual_mta_id : found.virtual_mta_id
  return serversOfRoute(db, found.organization_id, route ?? 0)
}

/** A queued message whose time has come. */
export interface DueReaction {
  id: number
  /** JSON of content_replacement_fields. */
  replacements: string
  /** null if it is not to be sent: its subscriber is not active, suppressed, outside of the segment, or has opened what they should not have. */
  recipient: RecipientRow | null
}

/** Reads the queued messages that are due at a time (UNIX milliseconds), longest due first. */
export async function dueReactions(
  db: Kysely<Schema>,
  autoresponderId: number,
  plan: AutoresponderPlan,
  { now, afterId, limit }: { now: number; afterId: number; limit: number }
): Promise<DueReaction[]> {
  const rows = await db
    .selectFrom('autoresponder_reactions')
    .select(['id', 'subscriber_id', 'content_replacement_fields', 'created_at'])
    .where('autoresponder_id', '=', autoresponderId)
    .where('is_held', '=', 0)
    .where('due_at', '<=', now)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
  const active = await activeAmong(
    db,
    rows.map((row) => row.subscriber_id)
  )
  const suppressed = await suppressedAmong(
    db,
    plan,
    active.map(({ email }) => email)
  )
  const members = await membersAmong(
    db,
    plan,
    active.map(({ id }) => id)
  )
  const allowed = new Map(
    active.filter(({ id, email }) => members.has(id) && !suppressed.has(email)).map((row) => [row.id, row])
  )
  const opened = await openedSince(db, plan.unlessOpened, rows)
  return rows.map((row) => ({
    id: row.id,
    replacements: row.content_replacement_fields,
    recipient: opened.has(row.id) ? null : (allowed.get(row.subscriber_id) ?? null)
  }))
}

async function membersAmong(
  db: Kysely<Schema>,
  { mailingListId, clause }: AutoresponderPlan,
  ids: readonly number[]
): Promise<Set<number>> {
  if (clause.length === 0) return new Set(ids)
  const rows = await membersOf(db, mailingListId, clause)
    .select('subscribers.id')
    .where('subscribers.id', 'in', ids)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Returns those queued messages whose subscribers have opened a content since they were queued, by id. */
async function openedSince(
  db: Kysely<Schema>,
  sliceId: number | null,
  rows: readonly { id: number; subscriber_id: number; created_at: number }[]
): Promise<Set<number>> {
  if (sliceId === null || rows.length === 0) return new Set()
  const events = await db
    .selectFrom('stat_events')
    .select(['subscriber_id', (select) => select.fn.max<number>('occurred_at').as('last')])
    .where('stat_slice_id', '=', sliceId)
    .where('type', '=', 'open')
    .where(
      'subscriber_id',
      'in',
      rows.map((row) => row.subscriber_id)
    )
    .groupBy('subscriber_id')
    .execute()
  const last = new Map(events.map((event) => [event.subscriber_id, event.last]))
  return new Set(
    rows.filter((row) => (last.get(row.subscriber_id) ?? 0) >= row.created_at).map(({ id }) => id)
  )
}
