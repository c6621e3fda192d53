import type { Migration } from '../migration.ts'

/** What lists send with by default, Remote Lists, and the permissions of users. */
export const deliverySettings: Migration = {
  version: 4,
  name: 'delivery settings',
  sql: `
    ALTER TABLE users ADD COLUMN permissions TEXT NOT NULL DEFAULT '{}';

    CREATE TABLE virtual_mtas (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      UNIQUE (organization_id, name_key)
    ) STRICT;

    CREATE TABLE url_domains (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      domain TEXT NOT NULL,
      UNIQUE (organization_id, domain)
    ) STRICT;

    CREATE TABLE bounce_domains (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      domain TEXT NOT NULL,
      UNIQUE (organization_id, domain)
    ) STRICT;

    CREATE TABLE bounce_emails (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      bounce_domain_id INTEGER NOT NULL REFERENCES bounce_domains (id),
      username TEXT NOT NULL,
      UNIQUE (bounce_domain_id, username)
    ) STRICT;

    -- Connections of the delivery engine to remote databases; they belong to the installation, not to an organization.
    CREATE TABLE database_connections (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL,
      name_key TEXT NOT NULL UNIQUE
    ) STRICT;

    CREATE TABLE seed_lists (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      addresses TEXT NOT NULL DEFAULT '[]',
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (organization_id, name_key)
    ) STRICT;

    CREATE TABLE mailing_list_seed_lists (
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      seed_list_id INTEGER NOT NULL REFERENCES seed_lists (id),
      PRIMARY KEY (mailing_list_id, seed_list_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX mailing_lists_of_seed_list ON mailing_list_seed_lists (seed_list_id);

    ALTER TABLE mailing_lists ADD COLUMN d_virtual_mta_id INTEGER REFERENCES virtual_mtas (id);
    ALTER TABLE mailing_lists ADD COLUMN d_url_domain_id INTEGER REFERENCES url_domains (id);
    ALTER TABLE mailing_lists ADD COLUMN d_bounce_email_id INTEGER REFERENCES bounce_emails (id);
    ALTER TABLE mailing_lists ADD COLUMN is_remote_list INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE mailing_lists ADD COLUMN database_connection_id INTEGER REFERENCES database_connections (id);
  `
}
