import type { Access } from '../../../src-main/http/access.ts'

/** Who may do what with the record that an editor shows. */
export interface RecordRights {
  /** To create it, or to change it. */
  save: Access
  /** Without it the record is never deleted here. */
  delete?: Access
}
