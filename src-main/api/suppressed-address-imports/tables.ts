import type { StoredRefusal } from '../../base/stored-refusal.ts'
import type { Generated } from 'kysely'
import type { Time, Json, Fixed } from '../../database/schema.ts'
import type { SuppressedAddressImportState } from './schema.ts'

export interface SuppressedAddressImportsTable {
  id: Generated<number>
  organization_id: number
  suppression_list_id: number
  user_id: number
  state: SuppressedAddressImportState
  error_message: StoredRefusal | null
  source_filename: string
  /** Relative to the data directory. */
  source_path: string
  /** Identifies the file's content; see fingerprintOf. */
  source_fingerprint: string
  /** {@link FileFormat} */
  file_format: Json
  number_of_records: number | null
  records_read: Generated<number>
  /** Excludes addresses that the list had already. */
  addresses_added: Generated<number>
  /** Records without an address, domain or MD5 sum. */
  records_skipped: Generated<number>
  started_at: Time | null
  finished_at: Time | null
  created_at: Fixed<Time>
  updated_at: Time
}

declare module '../../database/schema.ts' {
  interface Schema {
    suppressed_address_imports: SuppressedAddressImportsTable
  }
  interface ChangedEntities {
    suppressed_address_import: unknown
  }
}
