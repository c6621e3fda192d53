import type { Migration } from '../migration.ts'

/** Stores which return addresses take mail to user+anything as well. */
export const plusAddressing: Migration = {
  version: 52,
  name: 'plus addressing',
  sql: `ALTER TABLE bounce_emails ADD COLUMN plus_addressing INTEGER NOT NULL DEFAULT 0;`
}
