import type { Migration } from '../migration.ts'

/** Stores where databases are, and how Listwright signs in to them; before, only their names were known. */
export const databaseConnections: Migration = {
  version: 64,
  name: 'database-connections',
  sql: `
    ALTER TABLE database_connections ADD COLUMN engine TEXT;
    ALTER TABLE database_connections ADD COLUMN host TEXT NOT NULL DEFAULT '';
    ALTER TABLE database_connections ADD COLUMN port INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE database_connections ADD COLUMN database TEXT NOT NULL DEFAULT '';
    ALTER TABLE database_connections ADD COLUMN username TEXT NOT NULL DEFAULT '';
    ALTER TABLE database_connections ADD COLUMN tls TEXT NOT NULL DEFAULT 'verified';
    ALTER TABLE database_connections ADD COLUMN authorities TEXT NOT NULL DEFAULT '';
    ALTER TABLE database_connections ADD COLUMN organization_ids TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE database_connections ADD COLUMN time_limit INTEGER NOT NULL DEFAULT 3600;
    ALTER TABLE database_connections ADD COLUMN credential_place TEXT;
    ALTER TABLE database_connections ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE database_connections ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
    -- Of those before, nothing is known of when they were made.
    UPDATE database_connections SET created_at = CAST(unixepoch('subsec') * 1000 AS INTEGER);
    UPDATE database_connections SET updated_at = created_at;
  `
}
