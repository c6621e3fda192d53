import type { Migration } from '../migration.ts'

/** What is edited on two pages was kept as an array; it is an object now, whose members are joined with what others changed. */
export const draftMembers: Migration = {
  version: 45,
  name: 'draft members',
  sql: `
    UPDATE drafts SET
      state = json_object('settings', state -> '$[0]', 'preview', state -> '$[1]'),
      base = CASE WHEN base = '' THEN '' ELSE json_object('settings', base -> '$[0]', 'preview', base -> '$[1]') END
    WHERE name LIKE 'settings of list %' AND json_type(state) = 'array';
    UPDATE drafts SET
      state = json_object('name', state -> '$[0]', 'contents', state -> '$[1]'),
      base = CASE WHEN base = '' THEN '' ELSE json_object('name', base -> '$[0]', 'contents', base -> '$[1]') END
    WHERE name LIKE 'template %' AND json_type(state) = 'array';
  `
}
