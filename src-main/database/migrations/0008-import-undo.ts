import type { Migration } from '../migration.ts'

/** What imports changed, and the undoing of them. */
export const importUndo: Migration = {
  version: 8,
  name: 'import undo',
  sql: `
    -- One row for each time the writer wrote some rows of an import. undone counts the subscribers that an undoing has
    -- dealt with: first the ids from first_added_id to last_added_id, then the entries of overwritten.
    CREATE TABLE import_changes (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      subscriber_import_id INTEGER NOT NULL REFERENCES subscriber_imports (id),
      written_at INTEGER NOT NULL,
      first_added_id INTEGER,
      last_added_id INTEGER,
      overwritten BLOB,
      subscribers INTEGER NOT NULL,
      undone INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX import_changes_of_import ON import_changes (subscriber_import_id);

    CREATE TABLE import_undos (
      subscriber_import_id INTEGER PRIMARY KEY REFERENCES subscriber_imports (id),
      total INTEGER NOT NULL,
      done INTEGER NOT NULL DEFAULT 0,
      removed INTEGER NOT NULL DEFAULT 0,
      restored INTEGER NOT NULL DEFAULT 0,
      kept INTEGER NOT NULL DEFAULT 0,
      started_at INTEGER NOT NULL,
      finished_at INTEGER
    ) STRICT;
    CREATE INDEX import_undos_unfinished ON import_undos (subscriber_import_id) WHERE finished_at IS NULL;

    CREATE TABLE import_undo_kept (
      subscriber_import_id INTEGER NOT NULL REFERENCES subscriber_imports (id),
      subscriber_id INTEGER NOT NULL,
      email TEXT NOT NULL,
      reason TEXT NOT NULL CHECK (reason IN ('changed', 'primary_key')),
      PRIMARY KEY (subscriber_import_id, subscriber_id)
    ) STRICT, WITHOUT ROWID;
  `
}
