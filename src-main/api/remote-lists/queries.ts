import type { Kysely } from 'kysely'
import { ApiError } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import type { Schema } from '../../database/schema.ts'
import { mailingListById, type MailingListRow } from '../mailing-lists/queries.ts'
import { subscriberWithList } from '../subscribers/queries.ts'
import { emailKey } from '../subscribers/rules.ts'
import type { TokenContent } from '../subscribers/tokens.ts'
import { emailHashOf } from './email-hash.ts'
import { isRemoteId, remoteIdOf, seqIdOf } from './recipient-ids.ts'

/** @throws ApiError not_found; invalid_request for a list with subscribers */
export async function remoteListById(
  db: Kysely<Schema>,
  organizationId: number,
  id: number
): Promise<MailingListRow & { database_connection_id: number }> {
  const list = await mailingListById(db, organizationId, id)
  const { database_connection_id } = list
  if (database_connection_id === null) {
    throw new ApiError('invalid_request', refusal('list_without_database'))
  }
  return { ...list, database_connection_id }
}

/** A recipient of a Remote List with the list. */
export type RemoteRecipient = NonNullable<Awaited<ReturnType<typeof remoteRecipient>>>

/** Returns the recipient that a link or a journal names; undefined if no message was handed over to them. */
export async function remoteRecipient(
  db: Kysely<Schema>,
  { subscriberId, sliceId }: Pick<TokenContent, 'subscriberId' | 'sliceId'>
) {
  if (!isRemoteId(subscriberId)) return undefined
  const row = await db
    .selectFrom('stat_slices')
    .innerJoin('stats', 'stats.id', 'stat_slices.stat_id')
    .innerJoin('campaigns', 'campaigns.id', 'stats.campaign_id')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'campaigns.mailing_list_id')
    .innerJoin('organizations', 'organizations.id', 'mailing_lists.organization_id')
    .innerJoin('remote_recipients', 'remote_recipients.campaign_id', 'campaigns.id')
    .select([
      'remote_recipients.email',
      'remote_recipients.distinct_id',
      'remote_recipients.seq_id',
      'campaigns.id as campaign_id',
      'campaigns.mailing_list_id',
      'mailing_lists.name as list_name',
      'd_from_name',
      'organization_id',
      'time_zone_name',
      'mailing_lists.deleted_at'
    ])
    .where('stat_slices.id', '=', sliceId)
    .where('remote_recipients.seq_id', '=', seqIdOf(subscriberId))
    .executeTakeFirst()
  return row && { ...row, id: subscriberId }
}

/** Returns the subscriber or the recipient of a Remote List that a token names, with the list. */
export async function recipientNamed(
  db: Kysely<Schema>,
  named: Pick<TokenContent, 'subscriberId' | 'sliceId'>
) {
  return (await remoteRecipient(db, named)) ?? subscriberWithList(db, named.subscriberId)
}

/**
 * Returns those of some addresses that are left out although the query returned them: they have unsubscribed, complained or bounced
 * for good, and the database did not know of it when it was asked.
 * @param readAt when it was asked, in UNIX milliseconds
 */
export async function removedAmong(
  db: Kysely<Schema>,
  { mailingListId, readAt }: { mailingListId: number; readAt: number },
  emails: readonly string[]
): Promise<Set<string>> {
  const keys = new Map(emails.map((email) => [email, emailKey(email)]))
  const rows = await db
    .selectFrom('remote_removals')
    .select('email_key')
    .distinct()
    .where('mailing_list_id', '=', mailingListId)
    .where('email_key', 'in', [...new Set(keys.values())])
    .where((where) => where.or([where('written_at', 'is', null), where('written_at', '>=', readAt)]))
    .where((where) => where.or([where('reason', '!=', 'bounce'), where('bounce_type', '=', 'hard')]))
    .execute()
  const removed = new Set(rows.map(({ email_key }) => email_key))
  return new Set(emails.filter((email) => removed.has(keys.get(email) ?? '')))
}

/** Returns what is stored of the recipients that were read for a campaign; undefined if they were not. */
export function findSpool(db: Kysely<Schema>, campaignId: number) {
  return db.selectFrom('spools').selectAll().where('campaign_id', '=', campaignId).executeTakeFirst()
}

export async function isRemoteList(db: Kysely<Schema>, mailingListId: number): Promise<boolean> {
  const list = await db
    .selectFrom('mailing_lists')
    .select('is_remote_list')
    .where('id', '=', mailingListId)
    .executeTakeFirst()
  return list?.is_remote_list === 1
}

/** Returns the ids of a campaign's recipients who have an address. */
export async function listRemoteRecipientIds(
  db: Kysely<Schema>,
  campaignId: number,
  email: string,
  limit: number
): Promise<number[]> {
  const rows = await db
    .selectFrom('remote_recipients')
    .select(['seq_id', 'email'])
    .where('email_hash', '=', emailHashOf(email))
    .where('campaign_id', '=', campaignId)
    .orderBy('seq_id')
    .limit(limit)
    .execute()
  return rows.filter((row) => emailKey(row.email) === emailKey(email)).map(({ seq_id }) => remoteIdOf(seq_id))
}

/** Returns the contents that an organization has sent to an address on Remote Lists, with the recipient's id, the newest first. */
export async function remoteMessagesTo(
  db: Kysely<Schema>,
  organizationId: number,
  email: string,
  limit: number
): Promise<{ sliceId: number; id: number }[]> {
  const rows = await db
    .selectFrom('remote_recipients')
    .innerJoin('campaigns', 'campaigns.id', 'remote_recipients.campaign_id')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'campaigns.mailing_list_id')
    .innerJoin('stats', 'stats.campaign_id', 'campaigns.id')
    .innerJoin('stat_slices', 'stat_slices.stat_id', 'stats.id')
    .select(['stat_slices.id as slice_id', 'seq_id', 'email'])
    .where('email_hash', '=', emailHashOf(email))
    .where('organization_id', '=', organizationId)
    .orderBy('stat_slices.id', 'desc')
    .orderBy('seq_id')
    .limit(limit)
    .execute()
  return rows
    .filter((row) => emailKey(row.email) === emailKey(email))
    .map(({ slice_id, seq_id }) => ({ sliceId: slice_id, id: remoteIdOf(seq_id) }))
}
