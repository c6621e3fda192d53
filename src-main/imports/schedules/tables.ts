import type { ColumnType, Generated } from 'kysely'
import type { StoredRefusal } from '../../base/stored-refusal.ts'
import type { Fixed, Flag, Json, Time } from '../../database/schema.ts'

/** An import from a database that is repeated. */
export interface ImportSchedulesTable {
  id: Generated<number>
  mailing_list_id: Fixed<number>
  database_connection_id: Fixed<number>
  query: string
  /** How the rows are read: the Reading of contact-files/schema.ts. */
  reading: Fixed<Json>
  /** How they are applied: the settings of the import without its format and mapping. */
  options: Fixed<Json>
  every_minutes: number
  is_enabled: Flag
  next_at: Time
  last_import_id: ColumnType<number | null, undefined, number>
  /** Why it could not begin the last time. */
  fault: ColumnType<StoredRefusal | null, undefined, StoredRefusal | null>
  created_at: Fixed<Time>
  updated_at: Time
}

declare module '../../database/schema.ts' {
  interface Schema {
    import_schedules: ImportSchedulesTable
  }
  interface ChangedEntities {
    import_schedule: unknown
  }
}
