import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { ImportMapping, MappingSettings } from './schema.ts'

/** The saved mappings of a list, by name. */
export async function importMappings(db: Kysely<Schema>, mailingListId: number): Promise<ImportMapping[]> {
  const rows = await db
    .selectFrom('import_mappings')
    .select(['id', 'name', 'settings'])
    .where('mailing_list_id', '=', mailingListId)
    .orderBy('name_key')
    .execute()
  return rows.map(({ id, name, settings }) => ({ id, name, ...(JSON.parse(settings) as MappingSettings) }))
}

/** Upper and lower case and white space around a header do not matter. */
export function headerKey(header: string): string {
  return header.trim().toLowerCase()
}

/** Where columns with headers went in the last import, by headerKey; null = left out. */
export async function rememberedColumns(
  db: Kysely<Schema>,
  mailingListId: number
): Promise<Map<string, string | null>> {
  const rows = await db
    .selectFrom('remembered_columns')
    .select(['header_key', 'target'])
    .where('mailing_list_id', '=', mailingListId)
    .execute()
  return new Map(rows.map(({ header_key, target }) => [header_key, target]))
}
