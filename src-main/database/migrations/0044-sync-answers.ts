import type { Migration } from '../migration.ts'

/** A user's answers belong to their question, and several may be asked in one run. */
export const syncAnswers: Migration = {
  version: 44,
  name: 'sync answers',
  sql: `
    ALTER TABLE sync_remotes ADD COLUMN answers TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE sync_remotes DROP COLUMN answer;
  `
}
