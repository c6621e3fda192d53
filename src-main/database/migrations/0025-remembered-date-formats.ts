import type { Migration } from '../migration.ts'

/** How dates were written in the last import of a column, for files in which that cannot be told. */
export const rememberedDateFormats: Migration = {
  version: 25,
  name: 'remembered date formats',
  sql: `
    ALTER TABLE remembered_columns ADD COLUMN date_format TEXT CHECK (date_format IN ('mdy', 'dmy'));
  `
}
