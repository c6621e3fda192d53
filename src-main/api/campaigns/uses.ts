import { type Kysely, sql, type SqlBool } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { Dependency } from '../../http/dependencies.ts'
import { unfinishedCampaignStates } from './rules.ts'

const columns = {
  segment: 'campaigns.segment_id',
  virtual_mta: 'dispatches.virtual_mta_id',
  url_domain: 'dispatches.url_domain_id',
  bounce_email: 'dispatches.bounce_email_id',
  seed_list: 'dispatch_seed_lists.seed_list_id'
} as const

/** For queries that join the dispatches. Includes templates and campaigns without delivery settings. */
export const mayStillBeSent = sql<SqlBool>`
  (dispatches.state IS NULL OR dispatches.state IN (${sql.join(unfinishedCampaignStates)}))`

/** True if the organization has such a campaign; templates and deleted ones do not count. */
export async function isCampaignOf(db: Kysely<Schema>, organizationId: number, id: number): Promise<boolean> {
  const row = await db
    .selectFrom('campaigns')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'campaigns.mailing_list_id')
    .select('campaigns.id')
    .where('campaigns.id', '=', id)
    .where('mailing_lists.organization_id', '=', organizationId)
    .where('campaigns.is_template', '=', 0)
    .where('campaigns.deleted_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns unsent campaigns and templates of existing lists that use something. */
export async function campaignsUsing(
  db: Kysely<Schema>,
  what: keyof typeof columns,
  id: number
): Promise<Dependency[]> {
  const rows = await db
    .selectFrom('campaigns')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'campaigns.mailing_list_id')
    .leftJoin('dispatches', 'dispatches.campaign_id', 'campaigns.id')
    .leftJoin('dispatch_seed_lists', 'dispatch_seed_lists.campaign_id', 'campaigns.id')
    .select(['campaigns.id', 'campaigns.name', 'is_template'])
    .distinct()
    .where(columns[what], '=', id)
    .where('mailing_lists.deleted_at', 'is', null)
    .where('campaigns.deleted_at', 'is', null)
    .where(mayStillBeSent)
    .orderBy('campaigns.id')
    .execute()
  return rows.map(({ is_template, ...row }) => ({
    type: is_template === 1 ? ('template' as const) : ('campaign' as const),
    ...row
  }))
}
