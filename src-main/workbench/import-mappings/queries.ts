import type { Kysely } from 'kysely'
import type { ImportSettings } from '../../api/subscriber-imports/schema.ts'
import { newColumn, type ReadingColumn, readingOf } from '../../contact-files/schema.ts'
import type { Schema } from '../../database/schema.ts'

/** Returns how the columns of the last imports were read, by rememberedKey(). */
export async function rememberedColumns(
  db: Kysely<Schema>,
  mailingListId: number
): Promise<Map<string, ReadingColumn>> {
  const rows = await db
    .selectFrom('remembered_columns')
    .select(['header_key', 'target', 'date_format', 'reading'])
    .where('mailing_list_id', '=', mailingListId)
    .execute()
  return new Map(rows.map((row) => [row.header_key, columnOf(row)]))
}

/**
 * Returns how the columns of the list's last import were read, without corrections of failed rows; null if
 * there was none.
 */
export async function columnsOfLastImport(
  db: Kysely<Schema>,
  mailingListId: number
): Promise<ReadingColumn[] | null> {
  const row = await db
    .selectFrom('subscriber_imports')
    .leftJoin('import_corrections', 'import_corrections.subscriber_import_id', 'subscriber_imports.id')
    .select(['reading', 'settings'])
    .where('mailing_list_id', '=', mailingListId)
    .where('import_corrections.corrects_id', 'is', null)
    .orderBy('subscriber_imports.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!row) return null
  const reading = readingOf(row)
  if (reading) return reading.columns
  const { column_mapping, file_format } = JSON.parse(row.settings) as ImportSettings
  return column_mapping.map((target) =>
    columnOf({ header_key: '', target, date_format: file_format.date_format, reading: null })
  )
}

/** Imports from before readings were stored have only the target and the order of dates. */
function columnOf(row: {
  header_key: string
  target: string | null
  date_format: ReadingColumn['date_order']
  reading: string | null
}): ReadingColumn {
  if (row.reading !== null) return JSON.parse(row.reading) as ReadingColumn
  return { ...newColumn(row.header_key, row.target), date_order: row.date_format }
}
