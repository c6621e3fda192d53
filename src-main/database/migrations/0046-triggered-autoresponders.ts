import type { Migration } from '../migration.ts'

/** When autoresponders were triggered last. Of those that wait for their time it is known; of the rest it was not kept. */
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
