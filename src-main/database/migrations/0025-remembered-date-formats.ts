import type { Migration } from '../migration.ts'

/** Stores how the dates of a column were written in its last import, for files that do not tell. */
export const rememberedDateFormats: Migration = {
  version: 25,
  name: 'remembered date formats',
  sql: `
    ALTER TABLE remembered_columns ADD COLUMN date_format TEXT CHECK (date_format IN ('mdy', 'dmy'));
  `
}
