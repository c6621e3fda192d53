import type { Migration } from '../migration.ts'

/** Changing the primary key of a list that has subscribers; see api/mailing-lists/rekey-commands.ts. */
export const listRekeys: Migration = {
  version: 3,
  name: 'list rekeys',
  sql: `
    CREATE TABLE list_rekeys (
      mailing_list_id INTEGER PRIMARY KEY REFERENCES mailing_lists (id),
      custom_field_id INTEGER REFERENCES custom_fields (id),
      phase TEXT NOT NULL CHECK (phase IN ('collecting', 'applying', 'clearing')),
      after_id INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE rekey_entries (
      mailing_list_id INTEGER NOT NULL,
      key TEXT NOT NULL,
      subscriber_id INTEGER NOT NULL,
      PRIMARY KEY (mailing_list_id, key)
    ) STRICT, WITHOUT ROWID;

    -- A key names its field, so that the keys of two fields never clash while a list changes from one to the other.
    UPDATE subscribers SET alternate_key =
      (SELECT primary_key_custom_field_id FROM mailing_lists WHERE mailing_lists.id = mailing_list_id) || ':' || alternate_key
      WHERE alternate_key IS NOT NULL;
  `
}
