import type { Migration } from '../migration.ts'

/** Addresses that get nothing. */
export const suppressionLists: Migration = {
  version: 15,
  name: 'suppression lists',
  sql: `
    CREATE TABLE suppression_lists (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      mailing_list_id INTEGER REFERENCES mailing_lists (id),
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      addresses INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (organization_id, name_key)
    ) STRICT;

    -- The three types of key never look alike: an address, "@domain", and 32 hexadecimal digits.
    CREATE TABLE suppressed_addresses (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      suppression_list_id INTEGER NOT NULL REFERENCES suppression_lists (id) ON DELETE CASCADE,
      user_id INTEGER NOT NULL REFERENCES users (id),
      email TEXT NOT NULL,
      key TEXT NOT NULL,
      address_type TEXT NOT NULL CHECK (address_type IN ('a', 'd', 'm')),
      UNIQUE (suppression_list_id, key)
    ) STRICT;
    CREATE INDEX suppressed_addresses_by_id ON suppressed_addresses (suppression_list_id, id);

    -- Requests for many addresses, which are written piece by piece; addresses holds a line for each.
    CREATE TABLE suppression_requests (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      suppression_list_id INTEGER NOT NULL REFERENCES suppression_lists (id) ON DELETE CASCADE,
      user_id INTEGER NOT NULL REFERENCES users (id),
      addresses TEXT NOT NULL,
      done INTEGER NOT NULL
    ) STRICT;
  `
}
