import type { Migration } from '../migration.ts'

/**
 * Forms get a confirmation message and statistics. Those who have yet to confirm from before get no message by itself: `queued_at` stays empty.
 */
export const confirmations: Migration = {
  version: 51,
  name: 'confirmations',
  rebuildsTables: true,
  sql: `
    ALTER TABLE web_forms ADD COLUMN language TEXT NOT NULL DEFAULT 'en';
    ALTER TABLE web_forms ADD COLUMN confirmation_subject TEXT NOT NULL DEFAULT '';
    ALTER TABLE web_forms ADD COLUMN confirmation_html TEXT NOT NULL DEFAULT '';
    ALTER TABLE web_forms ADD COLUMN confirmation_text TEXT NOT NULL DEFAULT '';
    ALTER TABLE web_forms ADD COLUMN confirmation_days INTEGER NOT NULL DEFAULT 14;
    ALTER TABLE pending_subscriptions ADD COLUMN queued_at INTEGER;
    ALTER TABLE pending_subscriptions ADD COLUMN sent_at INTEGER;
    ALTER TABLE pending_subscriptions ADD COLUMN is_repeated INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE pending_subscriptions ADD COLUMN expires_at INTEGER;
    CREATE INDEX pending_subscriptions_queued ON pending_subscriptions (web_form_id, id)
      WHERE queued_at IS NOT NULL;
    CREATE TABLE confirmation_deliveries (
      web_form_id INTEGER PRIMARY KEY REFERENCES web_forms (id) ON DELETE CASCADE,
      position INTEGER NOT NULL DEFAULT 0,
      waits_until INTEGER,
      failures INTEGER NOT NULL DEFAULT 0,
      error_message TEXT
    ) STRICT;
    CREATE TABLE new_stats (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      campaign_id INTEGER UNIQUE REFERENCES campaigns (id) ON DELETE CASCADE,
      autoresponder_id INTEGER UNIQUE REFERENCES autoresponders (id) ON DELETE CASCADE,
      keeps_recipients INTEGER NOT NULL DEFAULT 0,
      web_form_id INTEGER UNIQUE,
      CHECK ((campaign_id IS NOT NULL) + (autoresponder_id IS NOT NULL) + (web_form_id IS NOT NULL) = 1)
    ) STRICT;
    INSERT INTO new_stats (id, campaign_id, autoresponder_id, keeps_recipients)
      SELECT id, campaign_id, autoresponder_id, keeps_recipients FROM stats;
    DELETE FROM sqlite_sequence WHERE name = 'new_stats';
    INSERT INTO sqlite_sequence (name, seq) SELECT 'new_stats', seq FROM sqlite_sequence WHERE name = 'stats';
    DROP TABLE stats;
    ALTER TABLE new_stats RENAME TO stats;
  `
}
