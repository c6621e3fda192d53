import type { Migration } from '../migration.ts'

/** What recipients of a deleted campaign did is removed bit by bit; its links stay. */
export const purgedCampaigns: Migration = {
  version: 21,
  name: 'purged campaigns',
  sql: `
    ALTER TABLE campaigns ADD COLUMN purged_at INTEGER;
    CREATE INDEX campaigns_to_purge ON campaigns (id) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;
  `
}
