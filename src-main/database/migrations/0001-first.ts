import type { Migration } from '../migration.ts'

/** Everything that the main job needs: organizations and keys, lists, fields, subscribers, imports, the change log. */
export const first: Migration = {
  version: 1,
  name: 'first',
  sql: `
    CREATE TABLE organizations (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      time_zone_name TEXT NOT NULL DEFAULT 'UTC',
      subscriber_limit INTEGER,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE users (
      id INTEGER PRIMARY KEY,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      full_name TEXT NOT NULL,
      email TEXT NOT NULL UNIQUE,
      active INTEGER NOT NULL,
      role TEXT NOT NULL CHECK (role IN ('system_admin', 'organization_admin', 'standard')),
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE api_keys (
      id INTEGER PRIMARY KEY,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      user_id INTEGER NOT NULL REFERENCES users (id),
      name TEXT NOT NULL,
      key_hash BLOB NOT NULL UNIQUE,
      created_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE window_sessions (
      token_hash BLOB PRIMARY KEY,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      user_id INTEGER NOT NULL REFERENCES users (id),
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE mailing_lists (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      name TEXT NOT NULL,
      d_from_email TEXT,
      d_from_name TEXT,
      d_reply_to TEXT,
      d_sender_email TEXT,
      d_speed INTEGER NOT NULL DEFAULT 0,
      d_autowinner_enabled INTEGER NOT NULL DEFAULT 0,
      d_autowinner_percentage TEXT,
      d_autowinner_delay_amount INTEGER,
      d_autowinner_delay_unit TEXT,
      d_autowinner_metric TEXT,
      has_format INTEGER NOT NULL DEFAULT 0,
      has_confirmed INTEGER NOT NULL DEFAULT 0,
      custom_headers_enabled INTEGER NOT NULL DEFAULT 0,
      custom_headers TEXT NOT NULL DEFAULT '',
      primary_key_custom_field_id INTEGER REFERENCES custom_fields (id),
      preview_custom_field_data TEXT NOT NULL DEFAULT '{}',
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      deleted_at INTEGER,
      purged_at INTEGER
    ) STRICT;
    CREATE INDEX mailing_lists_of_organization ON mailing_lists (organization_id) WHERE deleted_at IS NULL;
    CREATE INDEX mailing_lists_to_purge ON mailing_lists (id) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;

    CREATE TABLE delete_confirmations (
      mailing_list_id INTEGER PRIMARY KEY REFERENCES mailing_lists (id),
      code TEXT NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE mailing_list_counts (
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      status TEXT NOT NULL,
      subscribers INTEGER NOT NULL CHECK (subscribers >= 0),
      PRIMARY KEY (mailing_list_id, status)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE subscriber_blocks (
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      block INTEGER NOT NULL,
      subscribers INTEGER NOT NULL CHECK (subscribers >= 0),
      PRIMARY KEY (mailing_list_id, block)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE custom_fields (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      mailing_list_id INTEGER REFERENCES mailing_lists (id),
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      field_type TEXT NOT NULL,
      required INTEGER NOT NULL DEFAULT 0,
      instructions TEXT,
      attributes TEXT NOT NULL DEFAULT '{}',
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      deleted_at INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX custom_fields_on_list ON custom_fields (mailing_list_id, name_key)
      WHERE deleted_at IS NULL AND mailing_list_id IS NOT NULL;
    CREATE UNIQUE INDEX custom_fields_global ON custom_fields (organization_id, name_key)
      WHERE deleted_at IS NULL AND mailing_list_id IS NULL;

    CREATE TABLE custom_field_options (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      custom_field_id INTEGER NOT NULL REFERENCES custom_fields (id),
      name TEXT NOT NULL,
      position INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX custom_field_options_of_field ON custom_field_options (custom_field_id, position);

    -- Ids come from id_sequences: the writer hands them out in runs, and none is ever used twice.
    CREATE TABLE subscribers (
      id INTEGER PRIMARY KEY,
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      email TEXT NOT NULL,
      email_key TEXT NOT NULL,
      alternate_key TEXT,
      status TEXT NOT NULL CHECK (status IN ('active', 'bounced', 'unsubscribed', 'scomp', 'deactivated')),
      confirmed INTEGER,
      email_format TEXT,
      subscribe_time INTEGER NOT NULL,
      subscribe_ip TEXT,
      remove_time INTEGER,
      remove_ip TEXT,
      custom_fields TEXT NOT NULL DEFAULT '{}',
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX subscribers_of_list ON subscribers (mailing_list_id);
    -- The primary key of a list is the email, or a custom field; an email may repeat only in the second case.
    CREATE UNIQUE INDEX subscribers_by_email_key ON subscribers (mailing_list_id, email_key)
      WHERE alternate_key IS NULL;
    CREATE INDEX subscribers_by_shared_email ON subscribers (mailing_list_id, email_key)
      WHERE alternate_key IS NOT NULL;
    CREATE UNIQUE INDEX subscribers_by_alternate_key ON subscribers (mailing_list_id, alternate_key)
      WHERE alternate_key IS NOT NULL;

    CREATE TABLE subscriber_imports (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      state TEXT NOT NULL CHECK (state IN ('scheduled', 'downloading', 'splitting', 'importing', 'paused',
        'finished', 'failed', 'cancelled')),
      error_message TEXT,
      begins_at INTEGER NOT NULL,
      started_at INTEGER,
      finished_at INTEGER,
      settings TEXT NOT NULL,
      source_type TEXT NOT NULL,
      source_filename TEXT NOT NULL,
      source_path TEXT NOT NULL,
      source_fingerprint TEXT,
      number_of_records INTEGER,
      records_imported INTEGER NOT NULL DEFAULT 0,
      counts TEXT NOT NULL,
      logs_purged_at INTEGER,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX subscriber_imports_of_list ON subscriber_imports (mailing_list_id);
    CREATE INDEX subscriber_imports_of_organization ON subscriber_imports (organization_id);
    CREATE INDEX subscriber_imports_unfinished ON subscriber_imports (begins_at) WHERE finished_at IS NULL;

    CREATE TABLE import_batches (
      subscriber_import_id INTEGER NOT NULL REFERENCES subscriber_imports (id),
      batch INTEGER NOT NULL,
      outcomes BLOB NOT NULL,
      PRIMARY KEY (subscriber_import_id, batch)
    ) STRICT;

    CREATE TABLE id_sequences (
      name TEXT PRIMARY KEY,
      next_id INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO id_sequences (name, next_id) VALUES ('subscribers', 1);

    CREATE TABLE change_log (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      entity TEXT NOT NULL,
      action TEXT NOT NULL CHECK (action IN ('create', 'update', 'delete')),
      organization_id INTEGER NOT NULL,
      mailing_list_id INTEGER,
      first_id INTEGER NOT NULL,
      last_id INTEGER NOT NULL
    ) STRICT;
  `
}
