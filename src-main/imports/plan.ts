import type { RowOrder } from '../api/subscriber-imports/tables.ts'
import type { FieldDefinition } from '../api/custom-fields/rules.ts'
import type { Reading } from '../contact-files/schema.ts'
import type { ImportSettings } from '../api/subscriber-imports/schema.ts'

/** Files of more rows are written in the order of the keys; people look through the others in the order of the file. */
const maxRowsInFileOrder = 20_000

/** @param room how many subscribers may be added: with a limit, the first rows of the file are those to be added */
export function rowOrderFor(records: number, room: number): RowOrder {
  return records > maxRowsInFileOrder && room === Infinity ? 'key' : 'file'
}

/** Settings for reading the rows of a file into batches. */
export interface RowPlan {
  settings: ImportSettings
  /** null for an import of the API, whose settings are complete. */
  reading: Reading | null
  fields: readonly FieldDefinition[]
  /** null = the email is the primary key of the list. */
  primaryKeyFieldId: number | null
  timeZone: string
  /** Absolute; a downloaded file is stored there. */
  path: string
  /** The batches that an earlier run committed. */
  committed: CommittedBatch[]
}

/** The part of a batch that an earlier run wrote. */
export interface CommittedBatch {
  rows: number
  /** The outcomes of its first rows, indexes into importOutcomes; complete for all but the last batch. */
  outcomes: Uint8Array
}

/** All that the import thread needs to know; the writer hands it out when the work begins. */
export interface ImportPlan extends RowPlan {
  id: number
  /** The address to download first; null if the file exists. */
  download: { url: string; allowsPrivate: boolean } | null
}

/** Rows per command: few enough that another command does not wait noticeably. The writer groups commands into commits. */
export const rowsPerBatch = 2500
/** Bytes after which a batch is full, however few its rows are: the memory of an import stays flat. */
export const bytesPerBatch = 2_000_000

/** Rows as they travel between threads: bytes take no work there; see row-packer.ts. */
export interface PackedBatch {
  rows: number
  /** True if the list's primary key is not the email. */
  hasAlternateKeys: boolean
  columns: readonly (keyof ImportBatch)[]
  bytes: Uint8Array
}

/** Some rows, column by column. A row that failed its checks keeps its place with an empty email. */
export interface ImportBatch {
  emails: string[]
  /** The keys of the emails, which packing computed; absent on lists with another primary key. */
  emailKeys?: string[]
  /** Custom field values as JSON; defaults of the import included. */
  customFields: string[]
  /** Present only for what the file or the list has. */
  alternateKeys?: string[]
  statuses?: (string | null)[]
  confirmed?: (number | null)[]
  formats?: (string | null)[]
  subscribeTimes?: (number | null)[]
  subscribeIps?: (string | null)[]
  removeTimes?: (number | null)[]
  removeIps?: (string | null)[]
}
