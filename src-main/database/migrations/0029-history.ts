import type { Migration } from '../migration.ts'

/** Adds to the change log the origin of each change and the changes of single records. */
export const history: Migration = {
  version: 29,
  name: 'history',
  sql: `
    -- database/origin.ts
    ALTER TABLE change_log ADD COLUMN via TEXT;
    ALTER TABLE change_log ADD COLUMN cause_id INTEGER;
    ALTER TABLE change_log ADD COLUMN user_id INTEGER;
    -- Who of first_id to last_id was changed, packed JSON; NULL = all of them.
    ALTER TABLE change_log ADD COLUMN members BLOB;
    -- What was changed of a single record, JSON.
    ALTER TABLE change_log ADD COLUMN details TEXT;

    -- The changes of one subscriber are few; those of many at once span ids, and all that reach as far are looked at.
    CREATE INDEX change_log_of_subscriber ON change_log (first_id)
      WHERE entity = 'subscriber' AND first_id = last_id;
    CREATE INDEX change_log_of_subscribers ON change_log (last_id, first_id)
      WHERE entity = 'subscriber' AND first_id < last_id;
    CREATE INDEX change_log_with_details ON change_log (id) WHERE details IS NOT NULL;
  `
}
