import type { Migration } from '../migration.ts'

/** When subscribers opened or clicked anything last, found without a look at every message. */
export const reactions: Migration = {
  version: 31,
  name: 'reactions',
  sql: `
    CREATE INDEX stat_events_of_reactions ON stat_events (subscriber_id, occurred_at)
      WHERE type IN ('open', 'click');
  `
}
