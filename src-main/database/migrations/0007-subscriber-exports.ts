import type { Migration } from '../migration.ts'

/** Exports of subscribers into CSV files. */
export const subscriberExports: Migration = {
  version: 7,
  name: 'subscriber exports',
  sql: `
    CREATE TABLE subscriber_exports (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      state TEXT NOT NULL CHECK (state IN ('idle', 'estimating', 'exporting', 'paused', 'finished', 'failed',
        'cancelled')),
      error_message TEXT,
      settings TEXT NOT NULL,
      number_of_records INTEGER,
      records_exported INTEGER NOT NULL DEFAULT 0,
      after_id INTEGER NOT NULL DEFAULT 0,
      bytes_written INTEGER NOT NULL DEFAULT 0,
      started_at INTEGER,
      finished_at INTEGER,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX subscriber_exports_of_list ON subscriber_exports (mailing_list_id);
    CREATE INDEX subscriber_exports_of_organization ON subscriber_exports (organization_id);
    CREATE INDEX subscriber_exports_unfinished ON subscriber_exports (id) WHERE finished_at IS NULL;
  `
}
