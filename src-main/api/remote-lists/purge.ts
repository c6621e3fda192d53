import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'

/** Deletes some of the recipients of a campaign to a Remote List. @returns true if there may be more */
export async function purgeRemoteRecipients(
  db: Kysely<Schema>,
  campaignId: number,
  limit: number
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('remote_recipients')
    .where('campaign_id', '=', campaignId)
    .where('seq_id', 'in', (select) =>
      select
        .selectFrom('remote_recipients')
        .select('seq_id')
        .where('campaign_id', '=', campaignId)
        .limit(limit)
    )
    .executeTakeFirst()
  if (numDeletedRows === BigInt(limit)) return true
  await db.deleteFrom('spools').where('campaign_id', '=', campaignId).execute()
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
