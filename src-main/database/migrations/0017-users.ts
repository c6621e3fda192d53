import type { Migration } from '../migration.ts'

/**
 * Everything that the specification says of users and organizations. The table of users is made anew, since the email of a
 * deleted user is free again, and their row stays for what they did.
 */
export const users: Migration = {
  version: 17,
  name: 'users',
  rebuildsTables: true,
  sql: `
    CREATE TABLE new_users (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      full_name TEXT NOT NULL,
      full_name_key TEXT NOT NULL,
      email TEXT NOT NULL,
      email_key TEXT NOT NULL,
      active INTEGER NOT NULL,
      role TEXT NOT NULL CHECK (role IN ('system_admin', 'organization_admin', 'standard')),
      permissions TEXT NOT NULL DEFAULT '{}',
      show_quick_tips INTEGER NOT NULL DEFAULT 1,
      default_preview_recipients TEXT NOT NULL DEFAULT '[]',
      default_html_editor TEXT NOT NULL DEFAULT 'bee',
      terms_and_conditions_version INTEGER,
      time_zone TEXT,
      password_hash TEXT,
      password_failures INTEGER NOT NULL DEFAULT 0,
      password_failed_at INTEGER,
      locked_out_until INTEGER,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      deleted_at INTEGER
    ) STRICT;
    INSERT INTO new_users (id, organization_id, full_name, full_name_key, email, email_key, active, role, permissions,
        created_at, updated_at)
      SELECT id, organization_id, full_name, lower(full_name), email, lower(email), active, role, permissions,
        created_at, updated_at FROM users;
    DROP TABLE users;
    ALTER TABLE new_users RENAME TO users;
    CREATE UNIQUE INDEX users_by_email_key ON users (email_key) WHERE deleted_at IS NULL;
    CREATE INDEX users_of_organization ON users (organization_id) WHERE deleted_at IS NULL;
    CREATE INDEX api_keys_of_user ON api_keys (user_id);
    CREATE INDEX window_sessions_of_user ON window_sessions (user_id);

    ALTER TABLE organizations ADD COLUMN anniversary_day INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE organizations ADD COLUMN html_header TEXT NOT NULL DEFAULT '';
    ALTER TABLE organizations ADD COLUMN html_footer TEXT NOT NULL DEFAULT '';
    ALTER TABLE organizations ADD COLUMN text_header TEXT NOT NULL DEFAULT '';
    ALTER TABLE organizations ADD COLUMN text_footer TEXT NOT NULL DEFAULT '';
  `
}
