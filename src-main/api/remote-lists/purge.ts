import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'

/** Deletes some of the recipients of campaigns to a deleted Remote List; until then they can unsubscribe. @returns true if there may be more */
export async function purgeRemoteRecipients(
  db: Kysely<Schema>,
  mailingListId: number,
  limit: number
): Promise<boolean> {
  const campaigns = await db
    .selectFrom('campaigns')
    .select('id')
    .where('mailing_list_id', '=', mailingListId)
    .execute()
  for (const { id } of campaigns) {
    const { numDeletedRows } = await db
      .deleteFrom('remote_recipients')
      .where('campaign_id', '=', id)
      .where('seq_id', 'in', (select) =>
        select.selectFrom('remote_recipients').select('seq_id').where('campaign_id', '=', id).limit(limit)
      )
      .executeTakeFirst()
    if (numDeletedRows === BigInt(limit)) return true
  }
  return false
}

/** Deletes some of the unsubscribes, bounces and complaints of a deleted Remote List. @returns true if there may be more */
export async function purgeRemoteRemovals(
  db: Kysely<Schema>,
  mailingListId: number,
  limit: number
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('remote_removals')
    .where('id', 'in', (select) =>
      select
        .selectFrom('remote_removals')
        .select('id')
        .where('mailing_list_id', '=', mailingListId)
        .limit(limit)
    )
    .executeTakeFirst()
  return numDeletedRows === BigInt(limit)
}
