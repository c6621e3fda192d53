import type { Migration } from '../migration.ts'

/** Stores the mailboxes that bounces and unsubscribes are read from. */
export const mailboxes: Migration = {
  version: 57,
  name: 'mailboxes',
  sql: `
    CREATE TABLE mailboxes (
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
      folder TEXT NOT NULL,
      deletes_reports INTEGER NOT NULL,
      is_enabled INTEGER NOT NULL,
      -- As far as it was read: UIDs mean something only together with the UIDVALIDITY of the folder.
      uid_validity TEXT,
      last_uid INTEGER NOT NULL DEFAULT 0,
      begun_at INTEGER NOT NULL DEFAULT 0,
      checked_at INTEGER,
      next_at INTEGER NOT NULL DEFAULT 0,
      fault TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (organization_id, name_key)
    ) STRICT;
  `
}
