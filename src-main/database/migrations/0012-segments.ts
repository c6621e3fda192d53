import type { Migration } from '../migration.ts'

/** Segments: stored ones have a name, ad hoc ones belong to the campaign or template that brought them. */
export const segments: Migration = {
  version: 12,
  name: 'segments',
  sql: `
    CREATE TABLE segments (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      name TEXT,
      name_key TEXT,
      clause TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX segments_of_list ON segments (mailing_list_id);

    ALTER TABLE autoresponders ADD COLUMN segmentation_criteria_id INTEGER REFERENCES segments (id);
    CREATE INDEX autoresponders_of_segment ON autoresponders (segmentation_criteria_id)
      WHERE segmentation_criteria_id IS NOT NULL;
  `
}
