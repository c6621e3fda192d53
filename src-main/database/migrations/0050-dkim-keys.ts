import type { Migration } from '../migration.ts'

/** Stores the public halves of DKIM keys, and which servers sign messages themselves. */
export const dkimKeys: Migration = {
  version: 50,
  name: 'DKIM keys',
  sql: `
    CREATE TABLE dkim_keys (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      domain TEXT NOT NULL,
      selector TEXT NOT NULL,
      public_key TEXT NOT NULL,
      is_enabled INTEGER NOT NULL,
      credential_place TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (organization_id, domain, selector)
    ) STRICT;
    ALTER TABLE smtp_servers ADD COLUMN signs_dkim INTEGER NOT NULL DEFAULT 0;
  `
}
