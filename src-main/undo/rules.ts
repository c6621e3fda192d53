import type { RecordEdit, RecordRows } from '../database/record-rows.ts'

/** The stored part of an edit or deletion in the change log. */
export interface KeptChange {
  /** The name of a deleted record. */
  name?: string
  edited?: RecordEdit
  deleted?: RecordRows
}
