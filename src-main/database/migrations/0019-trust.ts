import type { Migration } from '../migration.ts'

/** The last and the first time that an answer can hold, in UNIX milliseconds: the years 0001 to 9999 in any zone. */
const [last, first] = [253_402_128_000_000, -62_135_510_400_000]

/**
 * Deleted campaigns stay behind the links of their messages; a batch of an import says how many rows it has; snapshots of
 * one moment share a text. Times that were stored in a wrong unit are corrected, since no answer could hold one.
 */
export const trust: Migration = {
  version: 19,
  name: 'trust',
  sql: `
    ALTER TABLE campaigns ADD COLUMN deleted_at INTEGER;
    -- When where its delivery stands changed last; null before the first change.
    ALTER TABLE dispatches ADD COLUMN updated_at INTEGER;
    -- Upper bounds of the shares of the contents, as JSON; null until they were drawn. See delivery/split-test.ts.
    ALTER TABLE deliveries ADD COLUMN shares TEXT;
    -- Whether the links of the contents are all in stat_links.
    ALTER TABLE deliveries ADD COLUMN has_links INTEGER NOT NULL DEFAULT 0;
    UPDATE deliveries SET has_links = 1;

    ALTER TABLE import_batches ADD COLUMN rows INTEGER;
    UPDATE import_batches SET rows = length(outcomes);

    -- Keys of --json starts end with their process.
    ALTER TABLE api_keys ADD COLUMN ends_with_process INTEGER NOT NULL DEFAULT 0;

    CREATE TABLE new_stat_snapshots (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      stat_slice_id INTEGER NOT NULL REFERENCES stat_slices (id) ON DELETE CASCADE,
      snapshot_group TEXT NOT NULL,
      counts TEXT NOT NULL,
      taken_at INTEGER NOT NULL
    ) STRICT;
    INSERT INTO new_stat_snapshots
      SELECT snapshots.id, stat_slice_id, printf('%016x%016x', stat_id, snapshot_group), counts, taken_at
      FROM stat_snapshots AS snapshots JOIN stat_slices ON stat_slices.id = stat_slice_id;
    DROP TABLE stat_snapshots;
    ALTER TABLE new_stat_snapshots RENAME TO stat_snapshots;
    CREATE INDEX stat_snapshots_of_slice ON stat_snapshots (stat_slice_id);

    UPDATE dispatches SET begins_at = NULL, state = iif(state = 'scheduled', 'idle', state)
      WHERE begins_at NOT BETWEEN ${first} AND ${last};
    UPDATE subscriber_imports SET begins_at = created_at, state = iif(state = 'scheduled', 'paused', state),
      error_message = iif(state = 'scheduled', 'its time to begin at was out of range. Let it go on to begin now',
        error_message)
      WHERE begins_at NOT BETWEEN ${first} AND ${last};
    UPDATE subscribers SET subscribe_time = created_at WHERE subscribe_time NOT BETWEEN ${first} AND ${last};
    UPDATE subscribers SET remove_time = updated_at WHERE remove_time NOT BETWEEN ${first} AND ${last};
  `
}
