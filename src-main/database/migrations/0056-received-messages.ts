import type { Migration } from '../migration.ts'

/** Stores what came back: bounces, complaints, and unsubscribes by mail. */
export const receivedMessages: Migration = {
  version: 56,
  name: 'received messages',
  sql: `
    CREATE TABLE received_messages (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      digest TEXT NOT NULL,
      kind TEXT NOT NULL,
      subject TEXT NOT NULL,
      received_at INTEGER NOT NULL,
      -- As it came; null once it is old.
      raw BLOB,
      UNIQUE (organization_id, digest)
    ) STRICT;
    CREATE INDEX received_messages_of_organization ON received_messages (organization_id, id);
    CREATE INDEX received_messages_with_text ON received_messages (received_at) WHERE raw IS NOT NULL;
    CREATE TABLE received_recipients (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      received_message_id INTEGER NOT NULL REFERENCES received_messages (id) ON DELETE CASCADE,
      address TEXT NOT NULL,
      class TEXT,
      reason TEXT,
      status TEXT,
      words TEXT NOT NULL,
      is_delayed INTEGER NOT NULL,
      -- The message that it is about; null = it was not found.
      stat_slice_id INTEGER,
      subscriber_id INTEGER,
      received_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX received_recipients_of_message ON received_recipients (received_message_id);
    CREATE INDEX received_recipients_of_subscriber ON received_recipients (subscriber_id, class, received_at)
      WHERE subscriber_id IS NOT NULL;
    ALTER TABLE organizations ADD COLUMN soft_bounces INTEGER NOT NULL DEFAULT 5;
    ALTER TABLE organizations ADD COLUMN soft_bounce_days INTEGER NOT NULL DEFAULT 30;
  `
}
