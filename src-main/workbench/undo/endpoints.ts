import { type Static, Type } from 'typebox'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { IdParams, Nullable } from '../../http/schema.ts'
import { isUndoable, undoableChanges, undoableEntities, type UndoableEntity } from '../../api/record-kinds.ts'

export { isUndoable }
export type { UndoableEntity }

const Undone = Type.Object({
  entity: Type.Enum([...undoableChanges]),
  id: Type.Integer(),
  mailing_list_id: Nullable(Type.Integer()),
  /** References of a restored record that no longer exist, by attribute. */
  left_out: Type.Array(Type.String())
})
export type Undone = Static<typeof Undone>

const DeletedList = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  subscribers: Type.Integer(),
  deleted_at: Type.String(),
  /** The end of the time in which it can be restored. */
  until: Type.String()
})
export type DeletedList = Static<typeof DeletedList>

export const undoEndpoints = unlistedEndpoints({
  // Restores a record to its state before an edit, or a deleted record; each kind needs a permission of its
  // own.
  'POST /changes/:id/undo': { access: 'signed_in', params: IdParams, answer: envelope(Undone) },

  // Restores a record under its id after its last deletion.
  'POST /deleted_records/:entity/:id/restore': {
    access: 'signed_in',
    params: Type.Object({ entity: Type.Enum([...undoableEntities]), id: Type.Integer() }),
    answer: envelope(Undone)
  },

  // Lists that can still be restored, the most recently deleted first.
  'GET /deleted_lists': { access: 'mailing_list.create', answer: envelope(Type.Array(DeletedList)) },

  // Removes the subscribers of a deleted list, which cannot be restored any more.
  'POST /deleted_lists/:id/purge': {
    access: 'mailing_list.delete',
    params: IdParams,
    answer: envelope(Type.Null())
  }
})
