import type { Migration } from '../migration.ts'

export const drafts: Migration = {
  version: 28,
  name: 'drafts',
  sql: `
    CREATE TABLE drafts (
      user_id INTEGER NOT NULL REFERENCES users (id),
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      -- What it is a draft of, in the window's words: "campaign 5".
      name TEXT NOT NULL,
      title TEXT NOT NULL,
      path TEXT NOT NULL,
      base TEXT NOT NULL,
      state TEXT NOT NULL,
      updated_at INTEGER NOT NULL,
      PRIMARY KEY (user_id, organization_id, name)
    ) STRICT;
  `
}
