import type { Migration } from '../migration.ts'

/** Stores events, and the webhooks that they are sent to. */
export const events: Migration = {
  version: 60,
  name: 'events',
  sql: `
    -- In the order in which they happened here. Ids are never reused: webhooks remember how far they are by them.
    CREATE TABLE events (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL,
      type TEXT NOT NULL,
      mailing_list_id INTEGER NOT NULL,
      subscriber_id INTEGER NOT NULL,
      recorded_at INTEGER NOT NULL,
      -- JSON; see api/events/tables.ts.
      body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX events_by_type ON events (organization_id, type, id);

    CREATE TABLE webhooks (
      id INTEGER PRIMARY KEY,
      organization_id INTEGER NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      url TEXT NOT NULL,
      event_types TEXT NOT NULL,
      batch_size INTEGER NOT NULL,
      allows_private_addresses INTEGER NOT NULL,
      is_enabled INTEGER NOT NULL,
      credential_place TEXT,
      -- The last event that a message was made of, or that was passed over.
      position INTEGER NOT NULL,
      -- Since the last message that was taken.
      failing_since INTEGER,
      failures INTEGER NOT NULL DEFAULT 0,
      held_until INTEGER NOT NULL DEFAULT 0,
      delivered_at INTEGER,
      -- When Listwright disabled it.
      disabled_at INTEGER,
      fault TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX webhooks_by_name ON webhooks (organization_id, name_key);

    CREATE TABLE webhook_messages (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
      first_event_id INTEGER NOT NULL,
      last_event_id INTEGER NOT NULL,
      events INTEGER NOT NULL,
      -- Those of the webhook when the message was made: a batch holds the events of these types from first to last.
      event_types TEXT NOT NULL,
      -- NULL = a batch.
      subscriber_id INTEGER,
      state TEXT NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      next_at INTEGER NOT NULL DEFAULT 0,
      first_attempt_at INTEGER,
      attempted_at INTEGER,
      milliseconds INTEGER,
      status INTEGER,
      answer TEXT,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX webhook_messages_in_order ON webhook_messages (webhook_id, id);
    CREATE INDEX webhook_messages_waiting ON webhook_messages (webhook_id, id) WHERE state = 'waiting';
    CREATE INDEX webhook_messages_given_up ON webhook_messages (webhook_id, id) WHERE state = 'given_up';
  `
}
