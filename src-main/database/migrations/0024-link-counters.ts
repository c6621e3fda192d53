import type { Migration } from '../migration.ts'

/** Counts the clicks of each link, which a report would otherwise count over all events. */
export const linkCounters: Migration = {
  version: 24,
  name: 'link counters',
  sql: `
    ALTER TABLE stat_links ADD COLUMN clicks_total INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE stat_links ADD COLUMN clicks_unique INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE stat_links ADD COLUMN clicks_unique_by_link INTEGER NOT NULL DEFAULT 0;
    UPDATE stat_links SET clicks_total = found.total, clicks_unique = found.firsts, clicks_unique_by_link = found.firsts_of_link
    FROM (
      SELECT link_id, count(*) AS total, sum(is_unique) AS firsts, sum(is_unique_of_link) AS firsts_of_link
      FROM stat_events WHERE link_id IS NOT NULL GROUP BY link_id
    ) AS found
    WHERE found.link_id = stat_links.id;
  `
}
