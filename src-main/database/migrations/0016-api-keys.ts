import type { Migration } from '../migration.ts'

/** When API keys were used last. */
export const apiKeys: Migration = {
  version: 16,
  name: 'api keys',
  sql: `
    ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;
    CREATE INDEX api_keys_of_organization ON api_keys (organization_id);
  `
}
