import type { Migration } from '../migration.ts'

export const tableViews: Migration = {
  version: 33,
  name: 'table views',
  sql: `
    CREATE TABLE table_views (
      id INTEGER PRIMARY KEY,
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      settings TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX table_views_by_name ON table_views (mailing_list_id, name_key);
  `
}
