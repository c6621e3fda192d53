import type { Migration } from '../migration.ts'

export const subscriberDays: Migration = {
  version: 30,
  name: 'subscriber days',
  sql: `
    -- What a list had when the first change of the day came: on a day without a row it had all day what it had before.
    CREATE TABLE subscriber_days (
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      -- YYYY-MM-DD in the zone of the organization.
      day TEXT NOT NULL,
      active INTEGER NOT NULL,
      bounced INTEGER NOT NULL,
      unsubscribed INTEGER NOT NULL,
      scomp INTEGER NOT NULL,
      deactivated INTEGER NOT NULL,
      PRIMARY KEY (mailing_list_id, day)
    ) STRICT, WITHOUT ROWID;
  `
}
