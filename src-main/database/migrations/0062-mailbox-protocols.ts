import type { Migration } from '../migration.ts'

/** Adds mailboxes that are read by POP3 or as a folder, and whose status a report has changed. */
export const mailboxProtocols: Migration = {
  version: 62,
  name: 'mailbox-protocols',
  sql: `
    ALTER TABLE mailboxes ADD COLUMN protocol TEXT NOT NULL DEFAULT 'imap';
    -- The messages of a POP3 server that were read, by their unique ids.
    CREATE TABLE mailbox_uids (
      mailbox_id INTEGER NOT NULL REFERENCES mailboxes (id) ON DELETE CASCADE,
      uid TEXT NOT NULL,
      PRIMARY KEY (mailbox_id, uid)
    ) STRICT, WITHOUT ROWID;
    -- 1 = it set the subscriber to bounced; reports of before are not known to have.
    ALTER TABLE received_recipients ADD COLUMN updated_status INTEGER NOT NULL DEFAULT 0;
  `
}
