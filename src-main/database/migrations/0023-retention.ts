import type { Migration } from '../migration.ts'

export const retention: Migration = {
  version: 23,
  name: 'retention',
  sql: `
    -- Files that the window copied into the upload directory; those that people put there themselves are not in it.
    -- path is relative to the data directory.
    CREATE TABLE upload_copies (
      path TEXT PRIMARY KEY,
      stored_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    ALTER TABLE subscriber_exports ADD COLUMN file_removed_at INTEGER;

    -- Autoresponders whose queue is still being emptied. It refers to them no more, so that all of it need not go at once.
    CREATE TABLE deleted_autoresponders (
      id INTEGER PRIMARY KEY
    ) STRICT;
    CREATE TABLE queued_reactions (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      autoresponder_id INTEGER NOT NULL,
      subscriber_id INTEGER NOT NULL REFERENCES subscribers (id) ON DELETE CASCADE,
      due_at INTEGER NOT NULL,
      content_replacement_fields TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;
    INSERT INTO queued_reactions
      SELECT id, autoresponder_id, subscriber_id, due_at, content_replacement_fields, created_at
      FROM autoresponder_reactions;
    DROP TABLE autoresponder_reactions;
    ALTER TABLE queued_reactions RENAME TO autoresponder_reactions;
    CREATE INDEX autoresponder_reactions_of_subscriber ON autoresponder_reactions (subscriber_id);
    CREATE INDEX autoresponder_reactions_of_autoresponder ON autoresponder_reactions (autoresponder_id);
  `
}
