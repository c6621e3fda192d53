import type { Migration } from '../migration.ts'

/** Where deliveries stand, and what is counted of the messages that went out. */
export const delivery: Migration = {
  version: 14,
  name: 'delivery',
  sql: `
    -- A campaign that has begun. The last id is the newest subscriber when it did: later ones get nothing.
    CREATE TABLE deliveries (
      campaign_id INTEGER PRIMARY KEY REFERENCES dispatches (campaign_id) ON DELETE CASCADE,
      phase TEXT NOT NULL CHECK (phase IN ('everybody', 'split_testing', 'decision_delay', 'winner')),
      last_id INTEGER NOT NULL,
      after_id INTEGER NOT NULL,
      position INTEGER NOT NULL,
      recipients INTEGER,
      decides_at INTEGER,
      winning_content_id INTEGER REFERENCES campaign_contents (id) ON DELETE SET NULL
    ) STRICT;

    -- What is counted together: a campaign or an autoresponder. A slice is one of its contents.
    CREATE TABLE stats (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      campaign_id INTEGER UNIQUE REFERENCES campaigns (id) ON DELETE CASCADE,
      autoresponder_id INTEGER UNIQUE REFERENCES autoresponders (id) ON DELETE CASCADE,
      CHECK ((campaign_id IS NULL) <> (autoresponder_id IS NULL))
    ) STRICT;
    CREATE TABLE stat_slices (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      stat_id INTEGER NOT NULL REFERENCES stats (id) ON DELETE CASCADE,
      content_id INTEGER UNIQUE REFERENCES campaign_contents (id) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX stat_slices_of_stat ON stat_slices (stat_id);

    -- By the hour of the organization's clock, so that days of its time zone can be told apart.
    CREATE TABLE stat_counters (
      stat_slice_id INTEGER NOT NULL REFERENCES stat_slices (id) ON DELETE CASCADE,
      hour INTEGER NOT NULL,
      total_messages INTEGER NOT NULL DEFAULT 0,
      total_success INTEGER NOT NULL DEFAULT 0,
      total_failure INTEGER NOT NULL DEFAULT 0,
      total_failure_toolong INTEGER NOT NULL DEFAULT 0,
      messages_sent INTEGER NOT NULL DEFAULT 0,
      messages_html INTEGER NOT NULL DEFAULT 0,
      messages_text INTEGER NOT NULL DEFAULT 0,
      sent_text INTEGER NOT NULL DEFAULT 0,
      sent_html INTEGER NOT NULL DEFAULT 0,
      sent_multipart INTEGER NOT NULL DEFAULT 0,
      delivered INTEGER NOT NULL DEFAULT 0,
      skips_error INTEGER NOT NULL DEFAULT 0,
      skips_request INTEGER NOT NULL DEFAULT 0,
      bounces_total INTEGER NOT NULL DEFAULT 0,
      bounces_unique_hard INTEGER NOT NULL DEFAULT 0,
      bounces_unique_soft INTEGER NOT NULL DEFAULT 0,
      bounces_unique_other INTEGER NOT NULL DEFAULT 0,
      bounces_unique_local INTEGER NOT NULL DEFAULT 0,
      bounces_unique_remote INTEGER NOT NULL DEFAULT 0,
      bounces_status_updated INTEGER NOT NULL DEFAULT 0,
      clicks_total INTEGER NOT NULL DEFAULT 0,
      clicks_unique INTEGER NOT NULL DEFAULT 0,
      clicks_unique_by_link INTEGER NOT NULL DEFAULT 0,
      opens_total INTEGER NOT NULL DEFAULT 0,
      opens_unique INTEGER NOT NULL DEFAULT 0,
      scomps_total INTEGER NOT NULL DEFAULT 0,
      scomps_unique INTEGER NOT NULL DEFAULT 0,
      scomps_status_updated INTEGER NOT NULL DEFAULT 0,
      unsubs_total INTEGER NOT NULL DEFAULT 0,
      unsubs_unique INTEGER NOT NULL DEFAULT 0,
      unsubs_status_updated INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (stat_slice_id, hour)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE stat_links (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      stat_slice_id INTEGER NOT NULL REFERENCES stat_slices (id) ON DELETE CASCADE,
      url TEXT NOT NULL,
      UNIQUE (stat_slice_id, url)
    ) STRICT;

    -- What recipients did. Their email is kept: the subscriber may be removed.
    CREATE TABLE stat_events (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      stat_slice_id INTEGER NOT NULL REFERENCES stat_slices (id) ON DELETE CASCADE,
      type TEXT NOT NULL CHECK (type IN ('open', 'click', 'bounce', 'scomp', 'unsub')),
      subscriber_id INTEGER NOT NULL,
      email TEXT NOT NULL,
      is_unique INTEGER NOT NULL,
      link_id INTEGER REFERENCES stat_links (id) ON DELETE CASCADE,
      is_unique_of_link INTEGER,
      bounce_code TEXT,
      ip TEXT,
      occurred_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX stat_events_of_subscriber ON stat_events (stat_slice_id, type, subscriber_id);
    CREATE INDEX stat_events_of_link ON stat_events (link_id) WHERE link_id IS NOT NULL;

    -- The counts by which an automatic winner selection decided.
    CREATE TABLE stat_snapshots (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      stat_slice_id INTEGER NOT NULL REFERENCES stat_slices (id) ON DELETE CASCADE,
      snapshot_group INTEGER NOT NULL,
      counts TEXT NOT NULL,
      taken_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX stat_snapshots_of_slice ON stat_snapshots (stat_slice_id);
  `
}
