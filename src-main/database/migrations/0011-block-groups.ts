import type { Migration } from '../migration.ts'

/** Sums of 128 blocks of subscribers each: a page of a list of ten millions is found without adding up 10,000 blocks. */
export const blockGroups: Migration = {
  version: 11,
  name: 'block groups',
  sql: `
    CREATE TABLE subscriber_block_groups (
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      block_group INTEGER NOT NULL,
      subscribers INTEGER NOT NULL CHECK (subscribers >= 0),
      PRIMARY KEY (mailing_list_id, block_group)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO subscriber_block_groups (mailing_list_id, block_group, subscribers)
      SELECT mailing_list_id, block / 128, sum(subscribers) FROM subscriber_blocks GROUP BY 1, 2;
  `
}
