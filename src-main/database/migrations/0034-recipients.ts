import type { Migration } from '../migration.ts'

/**
 * Stores the recipients of campaigns. Those of earlier campaigns are unknown, which must not look like none.
 */
export const recipients: Migration = {
  version: 34,
  name: 'recipients',
  sql: `
    CREATE TABLE stat_recipients (
      stat_slice_id INTEGER NOT NULL REFERENCES stat_slices (id),
      subscriber_id INTEGER NOT NULL,
      sent_at INTEGER NOT NULL,
      PRIMARY KEY (stat_slice_id, subscriber_id)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE stats ADD COLUMN keeps_recipients INTEGER NOT NULL DEFAULT 0;
  `
}
