import type { Migration } from '../migration.ts'

/** Stores which Remote Lists tell their database of unsubscribes, bounces and complaints. */
export const writeBacks: Migration = {
  version: 66,
  name: 'write-backs',
  sql: `
    CREATE TABLE write_backs (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      mailing_list_id INTEGER NOT NULL UNIQUE REFERENCES mailing_lists (id),
      is_enabled INTEGER NOT NULL,
      table_name TEXT NOT NULL,
      next_at INTEGER NOT NULL DEFAULT 0,
      failures INTEGER NOT NULL DEFAULT 0,
      fault TEXT,
      checked_at INTEGER,
      written_at INTEGER,
      updated_at INTEGER NOT NULL
    ) STRICT;
  `
}
