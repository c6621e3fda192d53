import type { Migration } from '../migration.ts'

/**
 * Stores the subscribers that each import added. Unknown for imports from before the change log had origins.
 */
export const importAdditions: Migration = {
  version: 36,
  name: 'import additions',
  sql: `
    -- Ids in a row; those among them that no subscriber got are never given out.
    CREATE TABLE import_additions (
      subscriber_import_id INTEGER NOT NULL REFERENCES subscriber_imports (id),
      first_id INTEGER NOT NULL,
      last_id INTEGER NOT NULL,
      PRIMARY KEY (subscriber_import_id, first_id)
    ) STRICT, WITHOUT ROWID;

    INSERT INTO import_additions (subscriber_import_id, first_id, last_id)
      SELECT cause_id, first_id, last_id FROM change_log
      WHERE via = 'subscriber_import' AND action = 'create' AND entity = 'subscriber' AND members IS NULL
        AND cause_id IN (SELECT id FROM subscriber_imports);
    -- The oldest entries are removed by their age: of an import whose first ones are gone, nothing is told.
    DELETE FROM import_additions WHERE subscriber_import_id IN (
      SELECT id FROM subscriber_imports
      WHERE counts ->> 'added' > (SELECT sum(last_id - first_id + 1) FROM import_additions WHERE subscriber_import_id = id)
    );
  `
}
