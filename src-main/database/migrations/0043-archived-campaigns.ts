import type { Migration } from '../migration.ts'

/** Campaigns and templates can be archived, and keep the editor that a client names for them. */
export const archivedCampaigns: Migration = {
  version: 43,
  name: 'archived campaigns',
  sql: `
    ALTER TABLE campaigns ADD COLUMN archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1));
    ALTER TABLE campaigns ADD COLUMN html_editor TEXT NOT NULL DEFAULT 'raw html';
  `
}
