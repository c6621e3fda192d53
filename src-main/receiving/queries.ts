import { type Kysely, type Selectable, sql } from 'kysely'
import { notFound } from '../base/errors.ts'
import { formatTime } from '../base/times.ts'
import type { Schema } from '../database/schema.ts'
import { type Page, pageOf } from '../http/pagination.ts'
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

/** Returns the contents whose messages an address may have got, with the subscriber: the last 50. */
export function messagesSentTo(db: Kysely<Schema>, organizationId: number, emailKey: string) {
  return db
    .selectFrom('subscribers')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'subscribers.mailing_list_id')
    .innerJoin('message_journal', 'message_journal.subscriber_id', 'subscribers.id')
    .select(['message_journal.stat_slice_id', 'message_journal.subscriber_id', 'message_journal.number'])
    .where('organization_id', '=', organizationId)
    .where('email_key', '=', emailKey)
    .orderBy('changed_at', 'desc')
    .limit(50)
    .execute()
}

/** Returns on how many messages a subscriber had soft bounces since a time, in UNIX milliseconds. */
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
    .where('received_at', '>=', since)
    .executeTakeFirstOrThrow()
  return bounces
}
