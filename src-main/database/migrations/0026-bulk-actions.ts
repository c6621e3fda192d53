import type { Migration } from '../migration.ts'

export const bulkActions: Migration = {
  version: 26,
  name: 'bulk actions',
  sql: `
    -- Whom a person has chosen, written down when they were counted: an action meets those and nobody else.
    CREATE TABLE selections (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      user_id INTEGER NOT NULL,
      -- In words.
      description TEXT NOT NULL,
      subscribers INTEGER NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX selections_of_list ON selections (mailing_list_id);

    -- The ids of a selection, some at a time, in their order.
    CREATE TABLE selected_subscribers (
      selection_id INTEGER NOT NULL REFERENCES selections (id) ON DELETE CASCADE,
      last_id INTEGER NOT NULL,
      ids BLOB NOT NULL,
      PRIMARY KEY (selection_id, last_id)
    ) STRICT;

    CREATE TABLE bulk_actions (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      user_id INTEGER NOT NULL,
      -- Gone once nothing is left to do.
      selection_id INTEGER REFERENCES selections (id) ON DELETE SET NULL,
      description TEXT NOT NULL,
      settings TEXT NOT NULL,
      -- The other list or the suppression list that it writes to.
      target_id INTEGER,
      state TEXT NOT NULL
        CHECK (state IN ('running', 'finished', 'cancelled', 'failed', 'undoing', 'undone')),
      error_message TEXT,
      total INTEGER NOT NULL,
      after_id INTEGER NOT NULL DEFAULT 0,
      done INTEGER NOT NULL DEFAULT 0,
      changed INTEGER NOT NULL DEFAULT 0,
      same INTEGER NOT NULL DEFAULT 0,
      kept INTEGER NOT NULL DEFAULT 0,
      undo_done INTEGER NOT NULL DEFAULT 0,
      restored INTEGER NOT NULL DEFAULT 0,
      not_restored INTEGER NOT NULL DEFAULT 0,
      -- When what undoing needs was removed.
      forgotten_at INTEGER,
      created_at INTEGER NOT NULL,
      finished_at INTEGER
    ) STRICT;
    CREATE INDEX bulk_actions_of_list ON bulk_actions (mailing_list_id);
    CREATE INDEX bulk_actions_of_selection ON bulk_actions (selection_id) WHERE selection_id IS NOT NULL;
    CREATE INDEX bulk_actions_of_target ON bulk_actions (target_id) WHERE target_id IS NOT NULL;
    CREATE INDEX bulk_actions_unfinished ON bulk_actions (id) WHERE state IN ('running', 'undoing');

    -- What undoing an action needs: what one command wrote.
    CREATE TABLE bulk_action_changes (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      bulk_action_id INTEGER NOT NULL REFERENCES bulk_actions (id),
      written_at INTEGER NOT NULL,
      notes BLOB NOT NULL,
      -- Whether undoing has come by, and left those who are still in the notes.
      is_tried INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX bulk_action_changes_of_action ON bulk_action_changes (bulk_action_id);

    -- Whom an action, or its undoing, left as they were, and why.
    CREATE TABLE bulk_action_kept (
      bulk_action_id INTEGER NOT NULL REFERENCES bulk_actions (id),
      is_undo INTEGER NOT NULL,
      subscriber_id INTEGER NOT NULL,
      email TEXT NOT NULL,
      reason TEXT NOT NULL,
      detail TEXT,
      PRIMARY KEY (bulk_action_id, is_undo, subscriber_id)
    ) STRICT, WITHOUT ROWID;

    -- What is known of people who are on no list and may come back: who followed a link to unsubscribe after they were deleted, and
    -- what those were who went with the list that they had been moved to.
    CREATE TABLE absent_subscribers (
      subscriber_id INTEGER PRIMARY KEY,
      status TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT;

    ALTER TABLE subscriber_exports ADD COLUMN selection_id INTEGER REFERENCES selections (id) ON DELETE SET NULL;
    CREATE INDEX subscriber_exports_of_selection ON subscriber_exports (selection_id)
      WHERE selection_id IS NOT NULL;
  `
}
