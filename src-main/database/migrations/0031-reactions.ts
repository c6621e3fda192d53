import type { Migration } from '../migration.ts'

/** Stores each subscriber's last open and click, to find them without reading every message. */
export const reactions: Migration = {
  version: 31,
  name: 'reactions',
  sql: `
    CREATE INDEX stat_events_of_reactions ON stat_events (subscriber_id, occurred_at)
      WHERE type IN ('open', 'click');
  `
}
