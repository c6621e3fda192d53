import type { Kysely } from 'kysely'
import type { DateOrder } from '../../base/dates.ts'
import type { Schema } from '../../database/schema.ts'

/** Upper and lower case and white space around a header do not matter. */
export function headerKey(header: string): string {
  return header.trim().toLowerCase()
}

/** What became of a column in the last import. */
export interface RememberedColumn {
  /** null = it was left out */
  target: string | null
  dateFormat: DateOrder | null
}

/** The columns with headers of the last imports, by headerKey. */
export async function rememberedColumns(
  db: Kysely<Schema>,
  mailingListId: number
): Promise<Map<string, RememberedColumn>> {
  const rows = await db
    .selectFrom('remembered_columns')
    .select(['header_key', 'target', 'date_format'])
    .where('mailing_list_id', '=', mailingListId)
    .execute()
  return new Map(
    rows.map(({ header_key, target, date_format }) => [header_key, { target, dateFormat: date_format }])
  )
}
