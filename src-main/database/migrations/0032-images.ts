import type { Migration } from '../migration.ts'

/** Pictures that messages show. */
export const images: Migration = {
  version: 32,
  name: 'images',
  sql: `
    CREATE TABLE images (
      id INTEGER PRIMARY KEY,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      -- Of the organization and the bytes, in hex: contents name a picture by it.
      key TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      media_type TEXT NOT NULL,
      bytes BLOB NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;
  `
}
