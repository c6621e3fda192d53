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
    by_smtp: isKept,
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
    .where('state', '<>', sql.lit<JournalState>(journalStates.accepted))
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
  const isDue = state === 'waiting' || state === 'retry'
  const sliceIds = (await slicesOfCampaign(db, campaignId).orderBy('stat_slices.id').execute()).map(
    ({ id }) => id
  )
  const rows: MessageRow[] = []
  // Content by content: only then SQLite finds the beginning of a page without reading all before it.
  for (const sliceId of sliceIds) {
    if (rows.length === limit || sliceId < (after?.sliceId ?? 0)) continue
    const from = after?.sliceId === sliceId ? after : null
    rows.push(...(await messagesOfSlice(db, sliceId, { state, isDue, from, limit: limit - rows.length })))
  }
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

type MessageRow = Awaited<ReturnType<typeof messagesOfSlice>>[number]

interface SlicePage {
  state: JournalStateName
  isDue: boolean
  /** null = the first page. */
  from: JournalPosition | null
  limit: number
}

function messagesOfSlice(db: Kysely<Schema>, sliceId: number, { state, isDue, from, limit }: SlicePage) {
  const { dueAt, subscriberId, number } = from ?? { dueAt: -1, subscriberId: -1, number: -1 }
  return (
    db
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
      .where('message.stat_slice_id', '=', sliceId)
      .where('message.state', '=', sql.lit(journalStates[state]))
      // The index of states is partial, and is used only with its own condition.
      .$if(state !== 'accepted', (query) =>
        query.where('message.state', '<>', sql.lit<JournalState>(journalStates.accepted))
      )
      .$if(isDue, (query) =>
        query
          .where(
            sql<SqlBool>`(due_at, subscriber_id, message.number) > (${dueAt}, ${subscriberId}, ${number})`
          )
          .orderBy('due_at')
      )
      .$if(!isDue, (query) =>
        query.where(sql<SqlBool>`(subscriber_id, message.number) > (${subscriberId}, ${number})`)
      )
      .orderBy('subscriber_id')
      .orderBy('message.number')
      .limit(limit)
      .execute()
  )
}
