import type { Migration } from '../migration.ts'

/** A clock that jumped is believed by the time that the application has run since, not by what the clock says. */
export const livedClock: Migration = {
  version: 42,
  name: 'lived clock',
  sql: `
    UPDATE settings
    SET value = json_object(
      'seenAt', value ->> 'seenAt',
      'livedSinceJump', CASE WHEN value ->> 'jumpedAt' IS NULL THEN NULL ELSE 0 END
    )
    WHERE name = 'clock';
  `
}
