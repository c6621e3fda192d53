import type { Migration } from '../migration.ts'

/** Files that messages of campaigns carry. A file is stored once, however many campaigns carry it. */
export const attachments: Migration = {
  version: 54,
  name: 'attachments',
  sql: `
    CREATE TABLE attachment_files (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      digest TEXT NOT NULL,
      size INTEGER NOT NULL,
      bytes BLOB NOT NULL,
      -- Since when no campaign or template carries it, as far as it was looked at.
      unused_since INTEGER,
      UNIQUE (organization_id, digest)
    ) STRICT;
    CREATE TABLE attachments (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      campaign_id INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      media_type TEXT NOT NULL,
      file_id INTEGER NOT NULL REFERENCES attachment_files (id),
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX attachments_of_campaign ON attachments (campaign_id);
    CREATE INDEX attachments_of_file ON attachments (file_id);
  `
}
