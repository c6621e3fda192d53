import type { Migration } from '../migration.ts'

/** Stores what judging past bounces again has changed, so that it can be undone. */
export const judgements: Migration = {
  version: 63,
  name: 'judgements',
  sql: `
    CREATE TABLE judgements (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      reports INTEGER NOT NULL,
      -- JSON; see receiving/judging/judgement.ts.
      verdicts TEXT NOT NULL,
      statuses TEXT NOT NULL,
      judged_at INTEGER NOT NULL,
      undone_at INTEGER
    ) STRICT;
    CREATE INDEX judgements_of_organization ON judgements (organization_id, id);
  `
}
