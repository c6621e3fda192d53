import type { Migration } from '../migration.ts'

/** What a person answers counts for the question that was asked, and several may be asked before a run gets to its end. */
export const syncAnswers: Migration = {
  version: 44,
  name: 'sync answers',
  sql: `
    ALTER TABLE sync_remotes ADD COLUMN answers TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE sync_remotes DROP COLUMN answer;
  `
}
