import type { Migration } from '../migration.ts'

/** Stores the last trigger time of autoresponders: known for those with a queue, lost for others. */
export const triggeredAutoresponders: Migration = {
  version: 46,
  name: 'triggered autoresponders',
  sql: `
    ALTER TABLE autoresponders ADD COLUMN triggered_at INTEGER;
    UPDATE autoresponders SET triggered_at = (
      SELECT max(created_at) FROM autoresponder_reactions WHERE autoresponder_id = autoresponders.id
    );
  `
}
