import { recordKinds, type UndoableChange } from '../../api/record-kinds.ts'
import type { ChangeAction } from '../../database/schema.ts'
import type { Access } from '../../http/access.ts'

/** Undoing an edit needs the permission to update, undoing a deletion the permission to create. */
export function accessToUndo(entity: UndoableChange, action: ChangeAction): Access {
  const key = recordKinds[entity].undoAccess
  return key === 'organization_admin' || key === 'system_admin'
    ? key
    : `${key}.${action === 'delete' ? 'create' : 'update'}`
}
