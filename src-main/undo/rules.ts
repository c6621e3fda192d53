import type { RecordEdit, RecordRows } from '../database/record-rows.ts'

/** What the change log stores of an edit or deletion. */
export interface KeptChange {
  /** The name of a deleted record. */
  name?: string
  edited?: RecordEdit
  deleted?: RecordRows
}
