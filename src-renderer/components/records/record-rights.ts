import type { Access } from '../../../src-main/http/access.ts'

/** The permissions for the record of an editor. */
export interface RecordRights {
  /** To create or change it. */
  save: Access
  /** Without it the record is never deleted here. */
  delete?: Access
}
