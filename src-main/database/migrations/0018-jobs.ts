import type { Migration } from '../migration.ts'

/** Files of addresses to suppress, and when the download of an import is tried again. */
export const jobs: Migration = {
  version: 18,
  name: 'jobs',
  sql: `
    ALTER TABLE subscriber_imports ADD COLUMN retry_at INTEGER;

    CREATE TABLE suppressed_address_imports (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      suppression_list_id INTEGER NOT NULL REFERENCES suppression_lists (id) ON DELETE CASCADE,
      user_id INTEGER NOT NULL REFERENCES users (id),
      state TEXT NOT NULL CHECK (state IN ('idle', 'scheduled', 'splitting', 'importing', 'paused', 'finished',
        'failed', 'cancelled')),
      error_message TEXT,
      source_filename TEXT NOT NULL,
      source_path TEXT NOT NULL,
      source_fingerprint TEXT NOT NULL,
      file_format TEXT NOT NULL,
      number_of_records INTEGER,
      records_read INTEGER NOT NULL DEFAULT 0,
      addresses_added INTEGER NOT NULL DEFAULT 0,
      records_skipped INTEGER NOT NULL DEFAULT 0,
      started_at INTEGER,
      finished_at INTEGER,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX suppressed_address_imports_of_list ON suppressed_address_imports (suppression_list_id);
    CREATE INDEX suppressed_address_imports_unfinished ON suppressed_address_imports (id) WHERE finished_at IS NULL;
  `
}
