import type { Migration } from '../migration.ts'

/** Stores gates: servers that take unsubscribes, clicks and confirmations while the application is off. */
export const gates: Migration = {
  version: 59,
  name: 'gates',
  sql: `
    -- A URL domain with a row here is a gate.
    CREATE TABLE gates (
      url_domain_id INTEGER PRIMARY KEY REFERENCES url_domains (id) ON DELETE CASCADE,
      address TEXT NOT NULL,
      credential_place TEXT,
      -- What the gate calls its contents; another value tells that it was restored from a copy.
      state TEXT,
      begun_at INTEGER NOT NULL DEFAULT 0,
      fetched_at INTEGER,
      next_at INTEGER NOT NULL DEFAULT 0,
      fault TEXT,
      updated_at INTEGER NOT NULL
    ) STRICT;

    -- What was handed over, as it was, so that a gate that lost it gets it again. It stays when the URL domain is deleted, which can be undone.
    CREATE TABLE gate_contents (
      url_domain_id INTEGER NOT NULL,
      content_key TEXT NOT NULL,
      source_digest TEXT NOT NULL,
      body TEXT NOT NULL,
      images TEXT NOT NULL,
      is_handed_over INTEGER NOT NULL,
      PRIMARY KEY (url_domain_id, content_key)
    ) STRICT;

    -- How far the events of each epoch were applied. Epochs are unique among all gates.
    CREATE TABLE gate_positions (epoch TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT;

    -- Unsubscribes by a link, for a minute in which they can be undone.
    CREATE TABLE link_unsubscribes (
      subscriber_id INTEGER PRIMARY KEY,
      status TEXT NOT NULL,
      stat_slice_id INTEGER NOT NULL,
      first_event_id INTEGER,
      changed_at INTEGER NOT NULL,
      occurred_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX link_unsubscribes_by_age ON link_unsubscribes (occurred_at);
  `
}
