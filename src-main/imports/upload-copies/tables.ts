import type { Fixed, Time } from '../../database/schema.ts'

/** A file that the window copied into an upload directory; what people put there themselves has no row. */
export interface UploadCopiesTable {
  /** Below the data directory. */
  path: string
  stored_at: Fixed<Time>
}

declare module '../../database/schema.ts' {
  interface Schema {
    upload_copies: UploadCopiesTable
  }
}
