import {
  type DeletedList,
  isUndoable,
  type undoEndpoints,
  type UndoableEntity,
  type Undone
} from '../../src-main/workbench/undo/endpoints.ts'
import { windowCalls } from './client.ts'

export { isUndoable }
export type { DeletedList, UndoableEntity, Undone }

const { call } = windowCalls<typeof undoEndpoints>()

/**
 * Reverts a change of a record.
 * @param id of the change
 */
export function undoRecordChange(id: number): Promise<Undone> {
  return call('POST /changes/:id/undo', { params: { id } })
}

/** Brings back a deleted record, under its id. */
export function restoreRecord(entity: UndoableEntity, id: number): Promise<Undone> {
  return call('POST /deleted_records/:entity/:id/restore', { params: { entity, id } })
}

/** Lists that can still be restored. */
export function fetchDeletedLists(): Promise<DeletedList[]> {
  return call('GET /deleted_lists', {})
}

/** Removes a deleted list for good. */
export async function purgeList(id: number): Promise<void> {
  await call('POST /deleted_lists/:id/purge', { params: { id } })
}
