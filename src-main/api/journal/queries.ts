import { type Kysely, sql, type SqlBool } from 'kysely'
import { formatOptionalTime, formatTime } from '../../base/times.ts'
import type { Schema } from '../../database/schema.ts'
import { subscribersByEmail } from '../subscribers/queries.ts'
import { emailKey } from '../subscribers/rules.ts'
import { listRemoteRecipientIds } from '../remote-lists/queries.ts'
import { seqIdIn } from '../remote-lists/recipient-ids.ts'
import {
  type JournalCounts,
  type JournaledMessage,
  type JournalState,
  type JournalStateName,
  journalStateNames,
  journalStates
} from './schema.ts'

/** The campaign, autoresponder or form that the messages of a journal belong to. */
export type JournalSubject = { campaign: number } | { autoresponder: number } | { webForm: number }

function slicesOf(db: Kysely<Schema>, subject: JournalSubject) {
  const slices = db
    .selectFrom('stats')
    .innerJoin('stat_slices', 'stat_slices.stat_id', 'stats.id')
    .select('stat_slices.id')
  if ('campaign' in subject) return slices.where('campaign_id', '=', subject.campaign)
  if ('autoresponder' in subject) return slices.where('autoresponder_id', '=', subject.autoresponder)
  return slices.where('web_form_id', '=', subject.webForm)
}

/** Returns how many messages are in each state. */
export async function journalCountsOf(
  db: Kysely<Schema>,
  subject: JournalSubject,
  timeZone: string
): Promise<JournalCounts> {
  const rows = await db
    .selectFrom('journal_counts')
    .select((select) => ['state', select.fn.sum<number>('messages').as('messages')])
    .where('stat_slice_id', 'in', slicesOf(db, subject))
    .groupBy('state')
    .execute()
  const counts = Object.fromEntries(
    journalStateNames.map((name) => [
      name,
      rows.find(({ state }) => state === journalStates[name])?.messages ?? 0
    ])
  ) as Record<JournalStateName, number>
  return {
    by_smtp: rows.length > 0 || ('campaign' in subject && (await isBySmtp(db, subject.campaign))),
    ...counts,
    waiting: counts.waiting + (await notClaimedOf(db, subject, counts)),
    next_retry_at: formatOptionalTime(await nextRetryOf(db, subject), timeZone)
  }
}

async function isBySmtp(db: Kysely<Schema>, campaignId: number): Promise<boolean> {
  const delivery = await db
    .selectFrom('deliveries')
    .select('transport')
    .where('campaign_id', '=', campaignId)
    .executeTakeFirst()
  return delivery?.transport === 'smtp'
}

/** Queued messages are counted up to so many: more would hold up other calls. */
const mostCounted = 100_000

/** Returns how many messages have no row yet. */
async function notClaimedOf(
  db: Kysely<Schema>,
  subject: JournalSubject,
  { withdrawn }: Record<JournalStateName, number>
): Promise<number> {
  if ('campaign' in subject) {
    const delivery = await db
      .selectFrom('deliveries')
      .select(['recipients', 'transport'])
      .where('campaign_id', '=', subject.campaign)
      .executeTakeFirst()
    if (delivery?.transport !== 'smtp') return 0
    const { sent } = await db
      .selectFrom('stat_counters')
      .select((select) => select.fn.sum<number | null>('messages_sent').as('sent'))
      .where('stat_slice_id', 'in', slicesOf(db, subject))
      .executeTakeFirstOrThrow()
    return Math.max(0, (delivery.recipients ?? 0) - (sent ?? 0) - withdrawn)
  }
  const queue =
    'autoresponder' in subject
      ? db
          .selectFrom(
            db
              .selectFrom('autoresponder_reactions')
              .select('id')
              .where('autoresponder_id', '=', subject.autoresponder)
              .limit(mostCounted)
              .as('queued')
          )
          .select((select) => select.fn.countAll<number>().as('messages'))
      : db
          .selectFrom('pending_subscriptions')
          .select((select) => select.fn.countAll<number>().as('messages'))
          .where('web_form_id', '=', subject.webForm)
          .where('queued_at', 'is not', null)
  return (await queue.executeTakeFirstOrThrow()).messages
}

async function nextRetryOf(db: Kysely<Schema>, subject: JournalSubject): Promise<number | null> {
  const first = await db
    .selectFrom('message_journal')
    .select('due_at')
    .where('stat_slice_id', 'in', slicesOf(db, subject))
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
 * Returns a page of messages in a state: by content, then by the time of the next attempt where there is one, and by subscriber.
 */
export async function journaledMessagesOf(
  db: Kysely<Schema>,
  subject: JournalSubject,
  { state, after, limit }: { state: JournalStateName; after: JournalPosition | null; limit: number },
  timeZone: string
): Promise<JournalPage> {
  const isDue = state === 'waiting' || state === 'retry'
  const sliceIds = (await slicesOf(db, subject).orderBy('stat_slices.id').execute()).map(({ id }) => id)
  const rows: MessageRow[] = []
  // Content by content: only then SQLite finds the beginning of a page without reading all before it.
  for (const sliceId of sliceIds) {
    if (rows.length === limit || sliceId < (after?.sliceId ?? 0)) continue
    const from = after?.sliceId === sliceId ? after : null
    rows.push(...(await messagesOfSlice(db, sliceId, { state, isDue, from, limit: limit - rows.length })))
  }
  const last = rows.length === limit ? rows.at(-1) : undefined
  return {
    messages: rows.map((row) => presentMessage(row, timeZone)),
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

/** Returns the messages to an address, in any state; 100 at most. */
export async function messagesTo(
  db: Kysely<Schema>,
  subject: JournalSubject,
  { email, mailingListId }: { email: string; mailingListId: number },
  timeZone: string
): Promise<JournaledMessage[]> {
  const key = emailKey(email)
  const one = { afterId: 0, offset: 0, limit: 100 }
  const { rows: subscribers } = await subscribersByEmail(db, [mailingListId], email, one)
  const remote = 'campaign' in subject ? await listRemoteRecipientIds(db, subject.campaign, email, 100) : []
  const rows = await messageRows(db)
    .where('message.stat_slice_id', 'in', slicesOf(db, subject))
    // By the primary key. Those who are no subscribers, such as addresses of a seed list, are few.
    .where('subscriber_id', 'in', [0, ...subscribers.map(({ id }) => id), ...remote])
    .where((where) => where.or([where('subscriber_id', '<>', 0), where(sql`lower(message.email)`, '=', key)]))
    .orderBy('changed_at')
    .limit(100)
    .execute()
  return rows.map((row) => presentMessage(row, timeZone))
}

/** Returns the last previews of a campaign or autoresponder, newest first; 500 at most. */
export async function previewsOf(
  db: Kysely<Schema>,
  of: { campaign_id: number } | { autoresponder_id: number },
  timeZone: string
): Promise<JournaledMessage[]> {
  const [column, id] =
    'campaign_id' in of
      ? (['campaign_id', of.campaign_id] as const)
      : (['autoresponder_id', of.autoresponder_id] as const)
  const rows = await db
    .selectFrom('preview_journal')
    .select(['content_id', 'email', 'state', 'sent_at', 'smtp_server', 'code', 'reply'])
    .where(column, '=', id)
    .orderBy('id', 'desc')
    .limit(500)
    .execute()
  return rows.map(({ state, sent_at, ...row }) => ({
    ...row,
    ...{ subscriber_id: 0, attempts: 1, retry_at: null },
    state: journalStateNames[state] ?? 'failed',
    changed_at: formatTime(sent_at, timeZone)
  }))
}

function presentMessage(
  { stat_slice_id, number: _, state, changed_at, due_at, reply, ...row }: MessageRow,
  timeZone: string
): JournaledMessage {
  return {
    ...row,
    state: journalStateNames[state] ?? 'waiting',
    reply: reply?.trim() || null,
    changed_at: formatTime(changed_at, timeZone),
    retry_at: formatOptionalTime(due_at, timeZone)
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

function messageRows(db: Kysely<Schema>) {
  return db
    .selectFrom('message_journal as message')
    .innerJoin('stat_slices', 'stat_slices.id', 'message.stat_slice_id')
    .innerJoin('stats', 'stats.id', 'stat_slices.stat_id')
    .leftJoin('subscribers', 'subscribers.id', 'message.subscriber_id')
    .leftJoin('remote_recipients', (join) =>
      join
        .onRef('remote_recipients.campaign_id', '=', 'stats.campaign_id')
        .on('remote_recipients.seq_id', '=', seqIdIn('message.subscriber_id'))
    )
    .leftJoin('smtp_servers', 'smtp_servers.id', 'message.smtp_server_id')
    .select([
      'message.stat_slice_id',
      'message.number',
      'message.state',
      'content_id',
      'subscriber_id',
      sql<string | null>`coalesce(message.email, subscribers.email, remote_recipients.email)`.as('email'),
      'attempts',
      'changed_at',
      'due_at',
      'smtp_servers.name as smtp_server',
      'code',
      'reply'
    ])
}

function messagesOfSlice(db: Kysely<Schema>, sliceId: number, { state, isDue, from, limit }: SlicePage) {
  const { dueAt, subscriberId, number } = from ?? { dueAt: -1, subscriberId: -1, number: -1 }
  return (
    messageRows(db)
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
      // With it the index of states has the order of the page.
      .$if(!isDue && state !== 'accepted', (query) => query.where('due_at', 'is', null))
      .$if(!isDue, (query) =>
        query.where(sql<SqlBool>`(subscriber_id, message.number) > (${subscriberId}, ${number})`)
      )
      .orderBy('subscriber_id')
      .orderBy('message.number')
      .limit(limit)
      .execute()
  )
}
