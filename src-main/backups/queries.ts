import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { CopiesSetting } from './copies.ts'

/** null if no copies are made. */
export async function copiesSetting(db: Kysely<Schema>): Promise<CopiesSetting | null> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', 'backup_copies')
    .executeTakeFirst()
  return row ? (JSON.parse(row.value) as CopiesSetting | null) : null
}

/** Campaigns of all organizations that go out by themselves. */
export function campaignsToBeSent(
  db: Kysely<Schema>
): Promise<{ id: number; organization_id: number; mailing_list_id: number }[]> {
  return db
    .selectFrom('dispatches')
    .innerJoin('campaigns', 'campaigns.id', 'dispatches.campaign_id')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'campaigns.mailing_list_id')
    .select(['campaigns.id', 'organization_id', 'mailing_list_id'])
    .where('state', 'in', ['scheduled', 'sending'])
    .where('paused', '=', 0)
    .execute()
}
