import type { Kysely } from 'kysely'
import type { AutorespondersTable } from './tables.ts'
import type { Schema } from '../../database/schema.ts'
import type { Dependency } from '../../http/dependencies.ts'

type Reference = keyof Pick<
  AutorespondersTable,
  | 'virtual_mta_id'
  | 'url_domain_id'
  | 'bounce_email_id'
  | 'segmentation_criteria_id'
  | 'trigger_campaign_to_open_id'
>

/** Returns the autoresponders that refer to a record in one of their columns. */
export async function autorespondersUsing(
  db: Kysely<Schema>,
  column: Reference,
  id: number
): Promise<Dependency[]> {
  const rows = await db
    .selectFrom('autoresponders')
    .select(['id', 'name'])
    .where(column, '=', id)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ type: 'autoresponder', ...row }))
}
