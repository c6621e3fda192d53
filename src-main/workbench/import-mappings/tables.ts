import type { Generated } from 'kysely'
import type { DateOrder } from '../../base/dates.ts'
import type { Time, Json, Fixed } from '../../database/schema.ts'

/** Where the columns of a kind of file go, saved for a list under a name. */
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

/** Where a column with this header went in the last import of the window. */
export interface RememberedColumnsTable {
  mailing_list_id: number
  header_key: string
  /** As in column_mapping; null = it was left out. */
  target: string | null
  /** The order of day and month in that import; null where it had none to choose. */
  date_format: DateOrder | null
  /** {@link ReadingColumn}; null for one of an import before readings were kept. */
  reading: Json | null
}

declare module '../../database/schema.ts' {
  interface Schema {
    import_mappings: ImportMappingsTable
    remembered_columns: RememberedColumnsTable
  }
}
