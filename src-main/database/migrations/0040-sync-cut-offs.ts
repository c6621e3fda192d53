import type { Migration } from '../migration.ts'

/** A sync that ended the application twice asks before it is tried again. */
export const syncCutOffs: Migration = {
  version: 40,
  name: 'sync cut-offs',
  sql: 'ALTER TABLE sync_remotes ADD COLUMN cut_offs INTEGER NOT NULL DEFAULT 0;'
}
