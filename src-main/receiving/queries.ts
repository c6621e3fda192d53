import { type Kysely, type Selectable, sql } from 'kysely'
import { notFound } from '../base/errors.ts'
import { formatTime } from '../base/times.ts'
import type { Schema } from '../database/schema.ts'
import { remoteMessagesTo } from '../api/remote-lists/queries.ts'
import { subscribersByEmail } from '../api/subscribers/queries.ts'
import { type Page, pageOf } from '../http/pagination.ts'
import { reasonsOfRecipient } from './reports/reasons.ts'
import type { ReceivedKind, ReceivedMessage } from './schema.ts'
import type { ReceivedMessagesTable } from './tables.ts'

type MessageRow = Pick<Selectable<ReceivedMessagesTable>, 'id' | 'kind' | 'subject' | 'received_at'> & {
  has_raw: number
}

/** Returns a page of received messages, newest first. */
export async function receivedMessagesOf(
  db: Kysely<Schema>,
  organizationId: number,
  { kind, ...page }: Page & { kind?: ReceivedKind },
  timeZone: string
): Promise<{ rows: ReceivedMessage[]; total: number }> {
  const { rows, total } = await pageOf(
    messageRows(db)
      .where('organization_id', '=', organizationId)
      .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? 'other'))
      .orderBy('id', 'desc'),
    page
  )
  return { rows: await presentMessages(db, rows, timeZone), total }
}

/** @throws ApiError not_found */
export async function receivedMessageById(
  db: Kysely<Schema>,
  organizationId: number,
  id: number,
  timeZone: string
): Promise<ReceivedMessage> {
  const rows = await messageRows(db)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute()
  const [message] = await presentMessages(db, rows, timeZone)
  if (!message) throw notFound('received message', id)
  return message
}

/** Returns a message as it came. @throws ApiError not_found also once it is too old */
export async function rawMessageById(
  db: Kysely<Schema>,
  organizationId: number,
  id: number
): Promise<Buffer> {
  const row = await db
    .selectFrom('received_messages')
    .select('raw')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row?.raw) throw notFound('received message', id)
  return row.raw
}

function messageRows(db: Kysely<Schema>) {
  return db
    .selectFrom('received_messages')
    .select(['id', 'kind', 'subject', 'received_at', sql<number>`raw IS NOT NULL`.as('has_raw')])
}

async function presentMessages(
  db: Kysely<Schema>,
  messages: readonly MessageRow[],
  timeZone: string
): Promise<ReceivedMessage[]> {
  const recipients = await db
    .selectFrom('received_recipients')
    .leftJoin('stat_slices', 'stat_slices.id', 'stat_slice_id')
    .leftJoin('stats', 'stats.id', 'stat_slices.stat_id')
    .leftJoin('campaigns', 'campaigns.id', 'stats.campaign_id')
    .select([
      'received_message_id',
      'address',
      'class',
      'reason',
      'status',
      'words',
      'is_delayed',
      'subscriber_id',
      'stats.campaign_id',
      'campaigns.name as campaign_name'
    ])
    .where(
      'received_message_id',
      'in',
      messages.map(({ id }) => id)
    )
    .orderBy('received_recipients.id')
    .execute()
  const byMessage = Map.groupBy(recipients, (row) => row.received_message_id)
  return messages.map(({ has_raw, received_at, ...message }) => ({
    ...message,
    received_at: formatTime(received_at, timeZone),
    has_raw: has_raw === 1,
    recipients: (byMessage.get(message.id) ?? []).map(({ received_message_id: _, is_delayed, ...row }) => ({
      ...row,
      is_delayed: is_delayed === 1
    }))
  }))
}

/** Contents that are looked through for the message of a report: the newest. */
const contentsSearched = 500

/** Returns the messages that an address may have got. */
export async function messagesSentTo(db: Kysely<Schema>, organizationId: number, address: string) {
  const lists = await db
    .selectFrom('mailing_lists')
    .select('id')
    .where('organization_id', '=', organizationId)
    .execute()
  const one = { afterId: 0, offset: 0, limit: 20 }
  const ids = lists.map(({ id }) => id)
  const { rows: subscribers } = await subscribersByEmail(db, ids, address, one)
  const remote = await remoteMessagesTo(db, organizationId, address, one.limit)
  if (subscribers.length === 0 && remote.length === 0) return []
  // By the primary key of the journal, which begins with the content.
  const contents = await db
    .selectFrom('stat_slices')
    .select('id')
    .orderBy('id', 'desc')
    .limit(contentsSearched)
    .execute()
  const sliceIds = contents.map(({ id }) => id)
  const subscriberIds = subscribers.map(({ id }) => id)
  return db
    .selectFrom('message_journal')
    .select(['stat_slice_id', 'subscriber_id', 'number'])
    .where((where) =>
      where.or([
        where.and([where('stat_slice_id', 'in', sliceIds), where('subscriber_id', 'in', subscriberIds)]),
        ...remote.map(({ sliceId, id }) => where.and({ stat_slice_id: sliceId, subscriber_id: id }))
      ])
    )
    .execute()
}

/** Returns how many contents came back from a subscriber by soft bounces since a time, in UNIX milliseconds, for a reason that lies with them. */
export async function softBouncesSince(
  db: Kysely<Schema>,
  subscriberId: number,
  since: number
): Promise<number> {
  const { bounces } = await db
    .selectFrom('received_recipients')
    .select((select) => select.fn.count<number>('stat_slice_id').distinct().as('bounces'))
    .where('subscriber_id', '=', subscriberId)
    .where('class', '=', 'soft')
    .where('is_delayed', '=', 0)
    .where('reason', 'in', reasonsOfRecipient)
    .where('received_at', '>=', since)
    .executeTakeFirstOrThrow()
  return bounces
}
