import type { Migration } from '../migration.ts'

/** Stores what happened while a campaign was sent, and how fast the domains of recipients take messages. */
export const campaignLog: Migration = {
  version: 53,
  name: 'campaign log',
  sql: `
    CREATE TABLE campaign_log (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      campaign_id INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
      occurred_at INTEGER NOT NULL,
      entry TEXT NOT NULL
    ) STRICT;
    CREATE INDEX campaign_log_of_campaign ON campaign_log (campaign_id, id);
    CREATE TABLE recipient_domains (
      domain TEXT PRIMARY KEY,
      provider TEXT,
      looked_up_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE slow_domains (
      domain TEXT PRIMARY KEY,
      interval REAL NOT NULL,
      next_at INTEGER NOT NULL,
      pause INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `
}
