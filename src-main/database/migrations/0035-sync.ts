import type { Migration } from '../migration.ts'

/** Remote servers that the state is mirrored to, and what this side and theirs last agreed on. */
export const sync: Migration = {
  version: 35,
  name: 'sync',
  sql: `
    CREATE TABLE sync_remotes (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      name TEXT NOT NULL,
      base_url TEXT NOT NULL,
      remote_organization_id INTEGER NOT NULL,
      settings TEXT NOT NULL,
      credential_place TEXT NOT NULL,
      state TEXT NOT NULL,
      message TEXT,
      question TEXT,
      question_list_id INTEGER,
      requested_at INTEGER,
      next_run_at INTEGER,
      pulled_at INTEGER,
      answer TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE sync_runs (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      remote_id INTEGER NOT NULL REFERENCES sync_remotes (id) ON DELETE CASCADE,
      started_at INTEGER NOT NULL,
      finished_at INTEGER,
      outcome TEXT,
      message TEXT,
      result TEXT NOT NULL
    ) STRICT;
    CREATE INDEX sync_runs_by_remote ON sync_runs (remote_id, id);
    CREATE TABLE sync_links (
      remote_id INTEGER NOT NULL REFERENCES sync_remotes (id) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      local_id INTEGER NOT NULL,
      their_id INTEGER,
      mailing_list_id INTEGER,
      agreed TEXT,
      their_state TEXT,
      PRIMARY KEY (remote_id, kind, local_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sync_lists (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      remote_id INTEGER NOT NULL REFERENCES sync_remotes (id) ON DELETE CASCADE,
      mailing_list_id INTEGER NOT NULL,
      change_log_id INTEGER,
      fields TEXT,
      scan TEXT,
      UNIQUE (remote_id, mailing_list_id)
    ) STRICT;
    CREATE TABLE sync_subscribers (
      sync_list_id INTEGER NOT NULL REFERENCES sync_lists (id) ON DELETE CASCADE,
      local_id INTEGER NOT NULL,
      their_id INTEGER,
      agreed BLOB NOT NULL,
      PRIMARY KEY (sync_list_id, local_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sync_subscribers_by_their_id ON sync_subscribers (sync_list_id, their_id)
      WHERE their_id IS NOT NULL;
    CREATE TABLE sync_refusals (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      remote_id INTEGER NOT NULL REFERENCES sync_remotes (id) ON DELETE CASCADE,
      side TEXT NOT NULL,
      kind TEXT NOT NULL,
      mailing_list_id INTEGER,
      record_id INTEGER NOT NULL,
      name TEXT NOT NULL,
      message TEXT NOT NULL,
      version TEXT NOT NULL,
      at INTEGER NOT NULL,
      UNIQUE (remote_id, side, kind, record_id)
    ) STRICT;
    CREATE TABLE sync_conflicts (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      remote_id INTEGER NOT NULL REFERENCES sync_remotes (id) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      mailing_list_id INTEGER,
      local_id INTEGER NOT NULL,
      name TEXT NOT NULL,
      field TEXT NOT NULL,
      local_value TEXT NOT NULL,
      remote_value TEXT NOT NULL,
      kept TEXT,
      decision TEXT,
      at INTEGER NOT NULL,
      resolved_at INTEGER
    ) STRICT;
    CREATE INDEX sync_conflicts_by_record ON sync_conflicts (remote_id, kind, local_id, field);
    CREATE INDEX sync_conflicts_by_remote ON sync_conflicts (remote_id, id);
    CREATE INDEX sync_conflicts_open ON sync_conflicts (remote_id, id) WHERE kept IS NULL;
    CREATE INDEX sync_conflicts_decided ON sync_conflicts (remote_id, mailing_list_id) WHERE decision IS NOT NULL;
    CREATE INDEX sync_refusals_by_remote ON sync_refusals (remote_id, id);
  `
}
