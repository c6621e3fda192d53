import type { Migration } from '../migration.ts'

/** Drafts of two pages were arrays; as objects their members can be merged with the changes of others. */
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
