import type { ColumnType, Generated } from 'kysely'
import type { Time, Flag, Json, Fixed } from '../../database/schema.ts'
import type { ImportState } from './schema.ts'

/**
 * The order in which rows are written: that of the file, or, a large part of it at a time, that of their keys. In the order
 * of the keys each page of the index is written once where rows in any order would write it hundreds of times.
 */
export type RowOrder = 'file' | 'key'

export interface SubscriberImportsTable {
  id: Generated<number>
  organization_id: number
  mailing_list_id: number
  state: ImportState
  error_message: string | null
  begins_at: Time
  /** Whether it was to begin at once, whatever the clock says later. */
  begins_at_once: ColumnType<Flag, Flag | undefined, Flag>
  started_at: Time | null
  finished_at: Time | null
  /** The request's settings after defaults; see imports/settings.ts */
  settings: Json
  source_type: 'json' | 'upload_directory' | 'url'
  /** Shown name: "data" for json; '' for url. */
  source_filename: string
  /** Where the file is downloaded from; null for the other types. */
  source_url: string | null
  /** When its download is tried again; null while it is not waited for. */
  retry_at: ColumnType<Time | null, Time | null | undefined, Time | null>
  /** How its file is read ({@link Reading}); null for an import of the API, whose settings are complete. */
  reading: ColumnType<Json | null, Json | null | undefined, Json | null>
  /** Where the bytes are, relative to the data directory. */
  source_path: string
  /** "<bytes>:<mtime ms>" when first read: a file that changed since cannot be continued. */
  source_fingerprint: string | null
  number_of_records: number | null
  /** Set with number_of_records: an import that continues must write its rows in the same order. */
  row_order: RowOrder | null
  records_imported: number
  /** {@link ImportCounts} */
  counts: Json
  logs_purged_at: Time | null
  created_at: Fixed<Time>
  updated_at: Time
}

/** What became of each row of a committed batch, a byte a row: lets an interrupted import continue exactly. */
export interface ImportBatchesTable {
  subscriber_import_id: number
  batch: number
  /** How many rows it has; fewer outcomes are those of a batch whose rest has yet to be written. */
  rows: number
  outcomes: Buffer
}

/** What the writer changed at one time for an import; see undo-commands.ts. */
export interface ImportChangesTable {
  id: Generated<number>
  subscriber_import_id: number
  /** The time of the command: subscribers whose updated_at is another were changed since. */
  written_at: Time
  first_added_id: number | null
  last_added_id: number | null
  /** Compressed JSON of Overwritten[]; null = none. */
  overwritten: Buffer | null
  /** How many ids and entries these are. */
  subscribers: number
  /** How many of them an undoing has dealt with. */
  undone: ColumnType<number, number | undefined, number>
}

/** Ids in a row that an import gave to subscribers whom it added; for good. */
export interface ImportAdditionsTable {
  subscriber_import_id: number
  first_id: number
  last_id: number
}

/** An import that is being undone, or was. */
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

/** A subscriber whom an undoing left as it is, and why. */
export interface ImportUndoKeptTable {
  subscriber_import_id: number
  subscriber_id: number
  email: string
  reason: KeptReason
}

export type KeptReason = 'changed' | 'primary_key'

/** A custom field that an import created. */
export interface ImportFieldsTable {
  subscriber_import_id: number
  custom_field_id: number
}

/** An import of rows that failed in another one and were corrected. */
export interface ImportCorrectionsTable {
  subscriber_import_id: number
  corrects_id: number
  /** Their places in the log of failed rows of the other one: number[] */
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
