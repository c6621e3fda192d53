import type { Time } from '../../database/schema.ts'

/** Unsaved changes of a form in the window. */
export interface DraftsTable {
  user_id: number
  organization_id: number
  /** The form; a user has one draft of each. */
  name: string
  /** The title in lists of drafts. */
  title: string
  /** The page of the window where it goes on. */
  path: string
  /** The saved state when the draft was started, as the window writes it; detects later changes. */
  base: string
  /** As the window writes it. */
  state: string
  updated_at: Time
}

declare module '../../database/schema.ts' {
  interface Schema {
    drafts: DraftsTable
  }
}
