import type { Migration } from '../migration.ts'

/** Imports of rows that failed in another import and were corrected. */
export const importCorrections: Migration = {
  version: 27,
  name: 'import corrections',
  sql: `
    CREATE TABLE import_corrections (
      subscriber_import_id INTEGER PRIMARY KEY REFERENCES subscriber_imports (id),
      corrects_id INTEGER NOT NULL REFERENCES subscriber_imports (id),
      -- The places of these rows in the log of failed rows, from 0: a JSON array.
      places TEXT NOT NULL
    ) STRICT;
    CREATE INDEX import_corrections_of_import ON import_corrections (corrects_id);
  `
}
