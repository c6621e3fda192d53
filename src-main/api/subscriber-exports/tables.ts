import type { StoredRefusal } from '../../base/stored-refusal.ts'
import type { ColumnType, Generated } from 'kysely'
import type { Time, Json, Fixed } from '../../database/schema.ts'
import type { ExportState } from './schema.ts'

export interface SubscriberExportsTable {
  id: Generated<number>
  organization_id: number
  mailing_list_id: number
  state: ExportState
  error_message: StoredRefusal | null
  /** {@link ExportSettings} */
  settings: Json
  /** The exported selection; null = chosen by the settings. */
  selection_id: ColumnType<number | null, number | null | undefined, number | null>
  number_of_records: number | null
  records_exported: number
  /** The last exported subscriber, and the length of the file up to it. */
  after_id: number
  bytes_written: number
  started_at: Time | null
  finished_at: Time | null
  /** When its file was deleted by age. */
  file_removed_at: Time | null
  created_at: Fixed<Time>
  updated_at: Time
}

declare module '../../database/schema.ts' {
  interface Schema {
    subscriber_exports: SubscriberExportsTable
  }
  interface ChangedEntities {
    subscriber_export: unknown
  }
}
