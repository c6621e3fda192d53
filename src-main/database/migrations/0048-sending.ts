import type { Migration } from '../migration.ts'

/**
 * Stores SMTP servers, the routes that lead to them, and a journal with one row per recipient and message. Campaigns that are being sent go on
 * into the outbox.
 */
export const sending: Migration = {
  version: 48,
  name: 'sending',
  sql: `
    CREATE TABLE smtp_servers (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      host TEXT NOT NULL,
      port INTEGER NOT NULL,
      security TEXT NOT NULL,
      authentication TEXT NOT NULL,
      username TEXT NOT NULL,
      credential_place TEXT,
      sender_domains TEXT NOT NULL,
      connections INTEGER NOT NULL,
      messages_per_connection INTEGER NOT NULL,
      messages_per_minute INTEGER NOT NULL,
      messages_per_hour INTEGER NOT NULL,
      messages_per_day INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (organization_id, name_key)
    ) STRICT;
    CREATE TABLE route_servers (
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      virtual_mta_id INTEGER NOT NULL,
      smtp_server_id INTEGER NOT NULL REFERENCES smtp_servers (id),
      position INTEGER NOT NULL,
      PRIMARY KEY (organization_id, virtual_mta_id, smtp_server_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX route_servers_by_server ON route_servers (smtp_server_id);
    CREATE TABLE smtp_usage (
      smtp_server_id INTEGER NOT NULL REFERENCES smtp_servers (id) ON DELETE CASCADE,
      minute INTEGER NOT NULL,
      messages INTEGER NOT NULL,
      PRIMARY KEY (smtp_server_id, minute)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE message_journal (
      stat_slice_id INTEGER NOT NULL,
      subscriber_id INTEGER NOT NULL,
      number INTEGER NOT NULL,
      state INTEGER NOT NULL,
      format INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      changed_at INTEGER NOT NULL,
      due_at INTEGER,
      smtp_server_id INTEGER,
      code INTEGER,
      reply TEXT,
      email TEXT,
      details TEXT,
      PRIMARY KEY (stat_slice_id, subscriber_id, number)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX message_journal_by_state ON message_journal (stat_slice_id, state, due_at)
      WHERE state <> 2;
    CREATE TABLE journal_counts (
      stat_slice_id INTEGER NOT NULL,
      state INTEGER NOT NULL,
      messages INTEGER NOT NULL,
      PRIMARY KEY (stat_slice_id, state)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE deliveries ADD COLUMN transport TEXT NOT NULL DEFAULT 'outbox';
    ALTER TABLE deliveries ADD COLUMN waits_until INTEGER;
    ALTER TABLE deliveries ADD COLUMN waits_for TEXT;
    ALTER TABLE deliveries ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE organizations ADD COLUMN unsubscribes_elsewhere INTEGER NOT NULL DEFAULT 0;
  `
}
