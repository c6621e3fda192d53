import type { Migration } from '../migration.ts'

/** Stores which imports from databases are repeated. */
export const importSchedules: Migration = {
  version: 67,
  name: 'import-schedules',
  sql: `
    CREATE TABLE import_schedules (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      database_connection_id INTEGER NOT NULL REFERENCES database_connections (id),
      query TEXT NOT NULL,
      reading TEXT NOT NULL,
      options TEXT NOT NULL,
      every_minutes INTEGER NOT NULL,
      is_enabled INTEGER NOT NULL,
      next_at INTEGER NOT NULL,
      last_import_id INTEGER,
      fault TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX import_schedules_of_list ON import_schedules (mailing_list_id);
  `
}
