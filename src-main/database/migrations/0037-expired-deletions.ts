import type { Migration } from '../migration.ts'

/**
 * Lists and campaigns can be restored for some days after their deletion, except those deleted before this
 * version.
 */
export const expiredDeletions: Migration = {
  version: 37,
  name: 'expired deletions',
  sql: `
    -- Set before the first of what belongs to a deleted record is removed: from then on it cannot be restored.
    ALTER TABLE mailing_lists ADD COLUMN expired INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE campaigns ADD COLUMN expired INTEGER NOT NULL DEFAULT 0;
    UPDATE mailing_lists SET expired = 1 WHERE deleted_at IS NOT NULL;
    UPDATE campaigns SET expired = 1 WHERE deleted_at IS NOT NULL;

    DROP INDEX mailing_lists_to_purge;
    CREATE INDEX mailing_lists_deleted ON mailing_lists (expired, id) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;
    DROP INDEX campaigns_to_purge;
    CREATE INDEX campaigns_deleted ON campaigns (expired, id) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;
  `
}
