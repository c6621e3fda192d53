import type { Time } from '../../database/schema.ts'

/** What a person has written in the window and not saved yet. */
export interface DraftsTable {
  user_id: number
  organization_id: number
  /** What it is a draft of; a person has one of each. */
  name: string
  /** What it is called in lists of drafts. */
  title: string
  /** The page of the window where it goes on. */
  path: string
  /** What was saved when it was begun, as the window writes it, to tell whether that has changed since. */
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
