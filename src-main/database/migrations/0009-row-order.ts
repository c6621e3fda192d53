import type { Migration } from '../migration.ts'

/** In which order an import writes its rows; those that are under way have begun in the order of their file. */
export const rowOrder: Migration = {
  version: 9,
  name: 'row order',
  sql: `
    ALTER TABLE subscriber_imports ADD COLUMN row_order TEXT CHECK (row_order IN ('file', 'key'));
    UPDATE subscriber_imports SET row_order = 'file' WHERE number_of_records IS NOT NULL;
  `
}
