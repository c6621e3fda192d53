import type { Migration } from '../migration.ts'

/** Stores how an import's file is read, which fields an import created, and how each column was read last. */
export const fileReadings: Migration = {
  version: 47,
  name: 'file readings',
  sql: `
    ALTER TABLE subscriber_imports ADD COLUMN reading TEXT;
    ALTER TABLE remembered_columns ADD COLUMN reading TEXT;
    CREATE TABLE import_fields (
      subscriber_import_id INTEGER NOT NULL REFERENCES subscriber_imports (id) ON DELETE CASCADE,
      custom_field_id INTEGER NOT NULL REFERENCES custom_fields (id) ON DELETE CASCADE,
      PRIMARY KEY (subscriber_import_id, custom_field_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX import_fields_by_field ON import_fields (custom_field_id);
  `
}
