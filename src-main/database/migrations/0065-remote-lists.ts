import type { Migration } from '../migration.ts'

/** Stores the recipients of campaigns to Remote Lists, and their unsubscribes, bounces and complaints. */
export const remoteLists: Migration = {
  version: 65,
  name: 'remote-lists',
  sql: `
    -- The recipients of a campaign that were read into a file.
    CREATE TABLE spools (
      campaign_id INTEGER PRIMARY KEY REFERENCES campaigns (id),
      -- The file has the same key.
      file_key TEXT NOT NULL,
      -- JSON: the names of the columns that codes take values from.
      columns TEXT NOT NULL,
      recipients INTEGER NOT NULL,
      -- When the database was asked.
      read_at INTEGER NOT NULL
    ) STRICT;
    -- How often in a row the database could not be read.
    ALTER TABLE deliveries ADD COLUMN reading_failures INTEGER NOT NULL DEFAULT 0;
    -- Recipients whose messages were handed over; seq_id begins at 1 for each campaign.
    CREATE TABLE remote_recipients (
      campaign_id INTEGER NOT NULL REFERENCES campaigns (id),
      seq_id INTEGER NOT NULL,
      email TEXT NOT NULL,
      -- Of the address in lower case: an index of hashes takes a third of one of addresses.
      email_hash INTEGER NOT NULL,
      distinct_id INTEGER,
      PRIMARY KEY (campaign_id, seq_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX remote_recipients_by_email ON remote_recipients (email_hash);
    -- Unsubscribes, bounces and complaints, in the order in which they are written back.
    CREATE TABLE remote_removals (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      campaign_id INTEGER,
      seq_id INTEGER NOT NULL,
      email TEXT NOT NULL,
      email_key TEXT NOT NULL,
      distinct_id INTEGER,
      reason TEXT NOT NULL,
      bounce_type TEXT,
      bounce_code TEXT,
      occurred_at INTEGER NOT NULL,
      recorded_at INTEGER NOT NULL,
      -- Its primary key in the other database.
      event_id TEXT NOT NULL,
      written_at INTEGER
    ) STRICT;
    CREATE INDEX remote_removals_by_email ON remote_removals (mailing_list_id, email_key);
    CREATE INDEX remote_removals_to_write ON remote_removals (mailing_list_id, id) WHERE written_at IS NULL;
  `
}
