import type { Migration } from '../migration.ts'

/** Where the columns of files go: saved by name, and remembered by header. */
export const importMappings: Migration = {
  version: 10,
  name: 'import mappings',
  sql: `
    CREATE TABLE import_mappings (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      settings TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX import_mappings_by_name ON import_mappings (mailing_list_id, name_key);

    CREATE TABLE remembered_columns (
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      header_key TEXT NOT NULL,
      target TEXT,
      PRIMARY KEY (mailing_list_id, header_key)
    ) STRICT, WITHOUT ROWID;
  `
}
