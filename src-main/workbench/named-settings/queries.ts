import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'

// Settings that users save for a list under a name: import mappings and table views.

export type NamedTable = 'import_mappings' | 'table_views'

/** Returns what is stored for a list by name. */
export async function namedOf<Settings extends object>(
  db: Kysely<Schema>,
  table: NamedTable,
  mailingListId: number
): Promise<({ id: number; name: string } & Settings)[]> {
  const rows = await db
    .selectFrom(table)
    .select(['id', 'name', 'settings'])
    .where('mailing_list_id', '=', mailingListId)
    .orderBy('name_key')
    .execute()
  return rows.map(({ id, name, settings }) => ({ id, name, ...(JSON.parse(settings) as Settings) }))
}
