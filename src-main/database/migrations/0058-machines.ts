import type { Migration } from '../migration.ts'

/** Tells openings and clicks by programs apart from those by people. */
export const machines: Migration = {
  version: 58,
  name: 'machines',
  sql: `
    ALTER TABLE stat_events ADD COLUMN is_machine INTEGER NOT NULL DEFAULT 0;

    CREATE TABLE stat_machine_counters (
      stat_slice_id INTEGER PRIMARY KEY REFERENCES stat_slices (id) ON DELETE CASCADE,
      opens_total INTEGER NOT NULL DEFAULT 0,
      -- Recipients for whom only programs opened or clicked.
      opens_only INTEGER NOT NULL DEFAULT 0,
      clicks_total INTEGER NOT NULL DEFAULT 0,
      clicks_only INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    -- Visits that count nothing, but show that a program follows the links of a message.
    CREATE TABLE link_visits (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      stat_slice_id INTEGER NOT NULL,
      subscriber_id INTEGER NOT NULL,
      link TEXT NOT NULL,
      occurred_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX link_visits_of_message ON link_visits (stat_slice_id, subscriber_id);
    CREATE INDEX link_visits_by_age ON link_visits (occurred_at);

    ALTER TABLE organizations ADD COLUMN winner_counts_machines INTEGER NOT NULL DEFAULT 0;
  `
}
