import type { Generated } from 'kysely'
import type { DateOrder } from '../../base/dates.ts'
import type { Time, Json, Fixed } from '../../database/schema.ts'

/** A named column mapping, stored for a list. */
export interface ImportMappingsTable {
  id: Generated<number>
  mailing_list_id: number
  name: string
  name_key: string
  /** {@link MappingSettings} */
  settings: Json
  created_at: Fixed<Time>
  updated_at: Time
}

/** The target of a column with this header in the last import. */
export interface RememberedColumnsTable {
  mailing_list_id: number
  header_key: string
  /** As in column_mapping; null = skipped. */
  target: string | null
  /** The order of day and month in that import; null if the column had none. */
  date_format: DateOrder | null
  /** {@link ReadingColumn}; null if the last import was made before this column of the table existed. */
  reading: Json | null
}

declare module '../../database/schema.ts' {
  interface Schema {
    import_mappings: ImportMappingsTable
    remembered_columns: RememberedColumnsTable
  }
}
