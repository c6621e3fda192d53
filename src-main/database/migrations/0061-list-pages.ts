import type { Migration } from '../migration.ts'

/** Stores how the public pages of each list look, and the sign-up pages of forms. */
export const listPages: Migration = {
  version: 61,
  name: 'list-pages',
  sql: `
    -- A list without a row has pages without a logo, in the language of each visitor.
    CREATE TABLE list_pages (
      mailing_list_id INTEGER PRIMARY KEY REFERENCES mailing_lists (id) ON DELETE CASCADE,
      language TEXT,
      color TEXT NOT NULL,
      logo TEXT NOT NULL,
      is_public INTEGER NOT NULL,
      description TEXT NOT NULL
    ) STRICT;

    ALTER TABLE web_forms ADD COLUMN has_page INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE web_forms ADD COLUMN page_title TEXT NOT NULL DEFAULT '';
    ALTER TABLE web_forms ADD COLUMN page_intro TEXT NOT NULL DEFAULT '';
    ALTER TABLE web_forms ADD COLUMN custom_field_ids TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE web_forms ADD COLUMN consent_text TEXT NOT NULL DEFAULT '';
    ALTER TABLE web_forms ADD COLUMN success_text TEXT NOT NULL DEFAULT '';
  `
}
