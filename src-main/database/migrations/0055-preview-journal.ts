import type { Migration } from '../migration.ts'

/** The preview messages handed to a server, with the result of each. */
export const previewJournal: Migration = {
  version: 55,
  name: 'preview journal',
  sql: `
    CREATE TABLE preview_journal (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      campaign_id INTEGER REFERENCES campaigns (id) ON DELETE CASCADE,
      autoresponder_id INTEGER REFERENCES autoresponders (id) ON DELETE CASCADE,
      content_id INTEGER,
      email TEXT NOT NULL,
      state INTEGER NOT NULL,
      sent_at INTEGER NOT NULL,
      smtp_server TEXT NOT NULL,
      code INTEGER,
      reply TEXT NOT NULL
    ) STRICT;
    CREATE INDEX preview_journal_of_campaign ON preview_journal (campaign_id) WHERE campaign_id IS NOT NULL;
    CREATE INDEX preview_journal_of_autoresponder ON preview_journal (autoresponder_id)
      WHERE autoresponder_id IS NOT NULL;
  `
}
