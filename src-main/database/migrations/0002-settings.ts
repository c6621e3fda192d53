import type { Migration } from '../migration.ts'

/** The configuration directives, and secrets that this installation makes for itself. */
export const settings: Migration = {
  version: 2,
  name: 'settings',
  sql: `
    CREATE TABLE settings (
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  `
}
