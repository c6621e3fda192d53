import type { Migration } from '../migration.ts'

/**
 * Stores how far each autoresponder is with its queue. What was queued before messages were sent is held until a user decides: it may be years old.
 */
export const sentAutoresponders: Migration = {
  version: 49,
  name: 'sent autoresponders',
  sql: `
    ALTER TABLE autoresponder_reactions ADD COLUMN is_held INTEGER NOT NULL DEFAULT 0;
    UPDATE autoresponder_reactions SET is_held = 1;
    DROP INDEX autoresponder_reactions_of_autoresponder;
    CREATE INDEX autoresponder_reactions_of_autoresponder
      ON autoresponder_reactions (autoresponder_id, is_held, due_at);
    CREATE TABLE autoresponder_deliveries (
      autoresponder_id INTEGER PRIMARY KEY REFERENCES autoresponders (id) ON DELETE CASCADE,
      position INTEGER NOT NULL DEFAULT 0,
      waits_until INTEGER,
      failures INTEGER NOT NULL DEFAULT 0,
      error_message TEXT
    ) STRICT;
    ALTER TABLE deleted_autoresponders ADD COLUMN stat_slice_id INTEGER;
  `
}
