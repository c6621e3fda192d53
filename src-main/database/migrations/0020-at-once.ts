import type { Migration } from '../migration.ts'

/** Jobs that were to begin at once say so: their times tell nothing of it, since the clock may have been set back. */
export const atOnce: Migration = {
  version: 20,
  name: 'at once',
  sql: `
    ALTER TABLE dispatches ADD COLUMN begins_at_once INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE subscriber_imports ADD COLUMN begins_at_once INTEGER NOT NULL DEFAULT 0;
    UPDATE subscriber_imports SET begins_at_once = 1 WHERE begins_at <= created_at;
    UPDATE dispatches SET begins_at_once = 1
      WHERE begins_at <= (SELECT updated_at FROM campaigns WHERE id = campaign_id);
  `
}
