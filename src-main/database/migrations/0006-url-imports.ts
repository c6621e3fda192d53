import type { Migration } from '../migration.ts'

/** Imports of a file that is downloaded first. */
export const urlImports: Migration = {
  version: 6,
  name: 'url imports',
  sql: 'ALTER TABLE subscriber_imports ADD COLUMN source_url TEXT;'
}
