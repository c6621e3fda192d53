import { type Kysely, sql, type SqlBool } from 'kysely'
import { formatOptionalTime, formatTime } from '../../base/times.ts'
import type { Schema } from '../../database/schema.ts'
import {
  type JournalCounts,
  type JournaledMessage,
  type JournalState,
  type JournalStateName,
  journalStateNames,
  journalStates
} from './schema.ts'

function slicesOfCampaign(db: Kysely<Schema>, campaignId: number) {
  return db
    .selectFrom('stats')
    .innerJoin('stat_slices', 'stat_slices.stat_id', 'stats.id')
    .select('stat_slices.id')
    .where('campaign_id', '=', campaignId)
}

/** Returns how many messages of a campaign are in each state. */
export async function journalCountsOf(
  db: Kysely<Schema>,
  campaignId: number,
  timeZone: string
): Promise<JournalCounts> {
  const rows = await db
    .selectFrom('journal_counts')
    .select((select) => ['state', select.fn.sum<number>('messages').as('messages')])
    .where('stat_slice_id', 'in', slicesOfCampaign(db, campaignId))
    .groupBy('state')
    .execute()
  const counts = Object.fromEntries(
    journalStateNames.map((name) => [
      name,
      rows.find(({ state }) => state === journalStates[name])?.messages ?? 0
    ])
  ) as Record<JournalStateName, number>
  const delivery = await db
    .selectFrom('deliveries')
    .select(['recipients', 'transport'])
    .where('campaign_id', '=', campaignId)
    .executeTakeFirst()
  const { sent } = await db
    .selectFrom('stat_counters')
    .select((select) => select.fn.sum<number | null>('messages_sent').as('sent'))
    .where('stat_slice_id', 'in', slicesOfCampaign(db, campaignId))
    .executeTakeFirstOrThrow()
  const isKept = delivery?.transport === 'smtp'
  const notReached = Math.max(0, (delivery?.recipients ?? 0) - (sent ?? 0) - counts.withdrawn)
  return {
    is_kept: isKept,
    ...counts,
    waiting: counts.waiting + (isKept ? notReached : 0),
    next_retry_at: formatOptionalTime(await nextRetryOf(db, campaignId), timeZone)
  }
}

async function nextRetryOf(db: Kysely<Schema>, campaignId: number): Promise<number | null> {
  const first = await db
    .selectFrom('message_journal')
    .select('due_at')
    .where('stat_slice_id', 'in', slicesOfCampaign(db, campaignId))
    .where('state', '=', sql.lit<JournalState>(journalStates.retry))
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst()
  return first?.due_at ?? null
}

/** Where a page of messages begins: after this one. */
export interface JournalPosition {
  sliceId: number
  /** 0 for states in which nothing is due. */
  dueAt: number
  subscriberId: number
  number: number
}

export interface JournalPage {
  messages: JournaledMessage[]
  /** null = there are no more. */
  next: JournalPosition | null
}

/**
 * Returns a page of a campaign's messages in a state: by content, then by the time of the next attempt where there is one, and by subscriber.
 */
export async function journaledMessagesOf(
  db: Kysely<Schema>,
  campaignId: number,
  { state, after, limit }: { state: JournalStateName; after: JournalPosition | null; limit: number },
  timeZone: string
): Promise<JournalPage> {
  const number = journalStates[state]
  const isDue = state === 'waiting' || state === 'retry'
  const rows = await db
    .selectFrom('message_journal as message')
    .innerJoin('stat_slices', 'stat_slices.id', 'message.stat_slice_id')
    .leftJoin('subscribers', 'subscribers.id', 'message.subscriber_id')
    .leftJoin('smtp_servers', 'smtp_servers.id', 'message.smtp_server_id')
    .select([
      'message.stat_slice_id',
      'message.number',
      'content_id',
      'subscriber_id',
      sql<string | null>`coalesce(message.email, subscribers.email)`.as('email'),
      'attempts',
      'changed_at',
      'due_at',
      'smtp_servers.name as smtp_server',
      'code',
      'reply'
    ])
    .where('message.stat_slice_id', 'in', slicesOfCampaign(db, campaignId))
    // A literal: only with it the index of states is used.
    .where('message.state', '=', sql.lit(number))
    .$if(after !== null, (query) => query.where(isAfter(after, isDue)))
    .orderBy('message.stat_slice_id')
    .$if(isDue, (query) => query.orderBy('due_at'))
    .orderBy('subscriber_id')
    .orderBy('message.number')
    .limit(limit)
    .execute()
  const last = rows.length === limit ? rows.at(-1) : undefined
  return {
    messages: rows.map(({ stat_slice_id, number: _, changed_at, due_at, reply, ...row }) => ({
      ...row,
      state,
      reply: reply?.trim() || null,
      changed_at: formatTime(changed_at, timeZone),
      retry_at: formatOptionalTime(due_at, timeZone)
    })),
    next: last
      ? {
          sliceId: last.stat_slice_id,
          dueAt: last.due_at ?? 0,
          subscriberId: last.subscriber_id,
          number: last.number
        }
      : null
  }
}

function isAfter(after: JournalPosition | null, isDue: boolean) {
  const { sliceId = 0, dueAt = 0, subscriberId = 0, number = 0 } = after ?? {}
  return isDue
    ? sql<SqlBool>`(message.stat_slice_id, due_at, subscriber_id, message.number) > (${sliceId}, ${dueAt}, ${subscriberId}, ${number})`
    : sql<SqlBool>`(message.stat_slice_id, subscriber_id, message.number) > (${sliceId}, ${subscriberId}, ${number})`
}
