import type { Migration } from '../migration.ts'

/** Each batch of an import says how many rows it has. The column was added later, where SQLite takes none without a default. */
export const rowsOfBatches: Migration = {
  version: 22,
  name: 'rows of batches',
  sql: `
    CREATE TABLE import_batches_anew (
      subscriber_import_id INTEGER NOT NULL REFERENCES subscriber_imports (id),
      batch INTEGER NOT NULL,
      outcomes BLOB NOT NULL,
      rows INTEGER NOT NULL,
      PRIMARY KEY (subscriber_import_id, batch)
    ) STRICT;
    INSERT INTO import_batches_anew (subscriber_import_id, batch, outcomes, rows)
      SELECT subscriber_import_id, batch, outcomes, coalesce(rows, length(outcomes)) FROM import_batches;
    DROP TABLE import_batches;
    ALTER TABLE import_batches_anew RENAME TO import_batches;
  `
}
