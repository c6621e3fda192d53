import type { Migration } from '../migration.ts'

/** Undoing a bulk action finds what it has yet to try without reading all that it could not restore. */
export const untriedNotes: Migration = {
  version: 38,
  name: 'untried notes',
  sql: `
    DROP INDEX bulk_action_changes_of_action;
    CREATE INDEX bulk_action_changes_by_trial ON bulk_action_changes (bulk_action_id, is_tried);
  `
}
