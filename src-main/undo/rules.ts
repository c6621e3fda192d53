import type { RecordEdit, RecordRows } from '../database/record-rows.ts'

/**
 * The kinds of records whose edits and deletions can be undone from the change log; subscribers have rules of
 * their own.
 */
export const undoableEntities = [
  'organization',
  'mailing_list',
  'custom_field',
  'segment',
  'campaign',
  'template',
  'autoresponder',
  'web_form',
  'suppression_list',
  'seed_list',
  'virtual_mta',
  'url_domain',
  'bounce_email'
] as const
export type UndoableEntity = (typeof undoableEntities)[number]

export function isUndoable(entity: string): entity is UndoableEntity {
  return (undoableEntities as readonly string[]).includes(entity)
}

/** Settings are no records, and never deleted. */
export const undoableChanges = [...undoableEntities, 'settings'] as const
export type UndoableChange = (typeof undoableChanges)[number]

export function isUndoableChange(entity: string): entity is UndoableChange {
  return (undoableChanges as readonly string[]).includes(entity)
}

/** What the change log stores of an edit or deletion. */
export interface KeptChange {
  /** The name of a deleted record. */
  name?: string
  edited?: RecordEdit
  deleted?: RecordRows
}
