import type { StoredRefusal } from '../../base/stored-refusal.ts'
import type { ColumnType, Generated } from 'kysely'
import type { Time, Flag, Json, Fixed } from '../../database/schema.ts'
import type { ImportState } from './schema.ts'

/**
 * The order in which rows are written: as in the file, or large parts sorted by key. Sorted keys write each
 * index page once instead of hundreds of times.
 */
export type RowOrder = 'file' | 'key'

export interface SubscriberImportsTable {
  id: Generated<number>
  organization_id: number
  mailing_list_id: number
  state: ImportState
  error_message: StoredRefusal | null
  begins_at: Time
  /** 1 if the import was requested to start immediately; it then starts even if the clock is set back later. */
  begins_at_once: ColumnType<Flag, Flag | undefined, Flag>
  started_at: Time | null
  finished_at: Time | null
  /** The request's settings with defaults filled in; see api/subscriber-imports/settings.ts */
  settings: Json
  source_type: 'json' | 'upload_directory' | 'url'
  /** Shown name: "data" for json; '' for url. */
  source_filename: string
  /** The address of a url import; null for other types. */
  source_url: string | null
  /** When the download is tried again; null while it runs. */
  retry_at: ColumnType<Time | null, Time | null | undefined, Time | null>
  /** The reading of the file ({@link Reading}); null for an import of the API, whose settings are complete. */
  reading: ColumnType<Json | null, Json | null | undefined, Json | null>
  /** Relative to the data directory. */
  source_path: string
  /** "<bytes>:<mtime ms>" of the first read: a changed file cannot be continued. */
  source_fingerprint: string | null
  number_of_records: number | null
  /** Set with number_of_records: a continued import must keep the order. */
  row_order: RowOrder | null
  records_imported: number
  /** {@link ImportCounts} */
  counts: Json
  logs_purged_at: Time | null
  created_at: Fixed<Time>
  updated_at: Time
}

/**
 * The outcome of each row of a committed batch, one byte per row, so that an interrupted import continues
 * exactly.
 */
export interface ImportBatchesTable {
  subscriber_import_id: number
  batch: number
  /** The number of rows. Fewer outcomes than rows: the rest of the batch is not written yet. */
  rows: number
  outcomes: Buffer
}

/** The changes of one command of an import; see undo-commands.ts. */
export interface ImportChangesTable {
  id: Generated<number>
  subscriber_import_id: number
  /** The time of the command. A subscriber with another updated_at was changed since. */
  written_at: Time
  first_added_id: number | null
  last_added_id: number | null
  /** Compressed JSON of Overwritten[]; null = none. */
  overwritten: Buffer | null
  /** The number of ids and entries. */
  subscribers: number
  /** Number of them that an undo has processed. */
  undone: ColumnType<number, number | undefined, number>
}

/** A range of subscriber ids that an import added; never deleted. */
export interface ImportAdditionsTable {
  subscriber_import_id: number
  first_id: number
  last_id: number
}

/** The undo of an import. */
export interface ImportUndosTable {
  subscriber_import_id: number
  total: number
  done: ColumnType<number, number | undefined, number>
  removed: ColumnType<number, number | undefined, number>
  restored: ColumnType<number, number | undefined, number>
  kept: ColumnType<number, number | undefined, number>
  started_at: Fixed<Time>
  finished_at: ColumnType<Time | null, Time | null | undefined, Time | null>
}

/** A subscriber that an undo skipped, with the reason. */
export interface ImportUndoKeptTable {
  subscriber_import_id: number
  subscriber_id: number
  email: string
  reason: KeptReason
}

export type KeptReason = 'changed' | 'primary_key'

export interface ImportFieldsTable {
  subscriber_import_id: number
  custom_field_id: number
}

/** An import of corrected rows that failed in another import. */
export interface ImportCorrectionsTable {
  subscriber_import_id: number
  corrects_id: number
  /** Their places in the other import's log of failed rows: number[] */
  places: Json
}

declare module '../../database/schema.ts' {
  interface Schema {
    import_additions: ImportAdditionsTable
    import_corrections: ImportCorrectionsTable
    import_fields: ImportFieldsTable
    subscriber_imports: SubscriberImportsTable
    import_batches: ImportBatchesTable
    import_changes: ImportChangesTable
    import_undos: ImportUndosTable
    import_undo_kept: ImportUndoKeptTable
  }
  interface ChangedEntities {
    subscriber_import: unknown
  }
}
