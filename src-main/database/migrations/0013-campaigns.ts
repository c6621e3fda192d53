import type { Migration } from '../migration.ts'

/** Campaigns and templates, which are campaigns that are never sent, with their contents and delivery settings. */
export const campaigns: Migration = {
  version: 13,
  name: 'campaigns',
  sql: `
    CREATE TABLE campaigns (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      is_template INTEGER NOT NULL,
      name TEXT NOT NULL,
      segment_id INTEGER REFERENCES segments (id),
      remote_sql TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX campaigns_of_list ON campaigns (mailing_list_id, is_template);
    CREATE INDEX campaigns_of_segment ON campaigns (segment_id) WHERE segment_id IS NOT NULL;

    CREATE TABLE campaign_contents (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      campaign_id INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      subject TEXT NOT NULL,
      format TEXT NOT NULL CHECK (format IN ('html', 'text', 'both')),
      html TEXT NOT NULL,
      text TEXT NOT NULL
    ) STRICT;
    CREATE INDEX campaign_contents_of_campaign ON campaign_contents (campaign_id);

    -- Delivery settings, and where the delivery stands. What is deleted was used by finished campaigns at most.
    CREATE TABLE dispatches (
      campaign_id INTEGER PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
      state TEXT NOT NULL CHECK (state IN ('idle', 'scheduled', 'sending', 'finished', 'failed', 'cancelled')),
      error_message TEXT,
      paused INTEGER NOT NULL,
      virtual_mta_id INTEGER REFERENCES virtual_mtas (id) ON DELETE SET NULL,
      bounce_email_id INTEGER REFERENCES bounce_emails (id) ON DELETE SET NULL,
      url_domain_id INTEGER REFERENCES url_domains (id) ON DELETE SET NULL,
      speed INTEGER NOT NULL,
      track_opens INTEGER NOT NULL,
      track_links INTEGER NOT NULL,
      from_name TEXT,
      from_email TEXT,
      reply_to TEXT,
      sender_email TEXT,
      autowinner_enabled INTEGER NOT NULL,
      autowinner_percentage TEXT,
      autowinner_delay_amount INTEGER,
      autowinner_delay_unit TEXT,
      autowinner_metric TEXT,
      begins_at INTEGER,
      started_at INTEGER,
      finished_at INTEGER
    ) STRICT;
    CREATE INDEX dispatches_to_do ON dispatches (begins_at) WHERE state IN ('scheduled', 'sending');

    CREATE TABLE dispatch_seed_lists (
      campaign_id INTEGER NOT NULL REFERENCES dispatches (campaign_id) ON DELETE CASCADE,
      seed_list_id INTEGER NOT NULL REFERENCES seed_lists (id) ON DELETE CASCADE,
      PRIMARY KEY (campaign_id, seed_list_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX dispatch_seed_lists_of_seed_list ON dispatch_seed_lists (seed_list_id);

    ALTER TABLE autoresponders ADD COLUMN trigger_campaign_to_open_id INTEGER REFERENCES campaigns (id);
  `
}
