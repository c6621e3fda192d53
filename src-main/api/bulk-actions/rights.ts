import type { Access } from '../../http/access.ts'
import type { Permission } from '../../http/caller.ts'
import type { BulkActionKind } from './schema.ts'

/** The permissions for each kind of action. Only administrators may change suppression lists. */
export const accessFor: Record<BulkActionKind, readonly Access[]> = {
  set_status: ['subscriber.update'],
  set_field: ['subscriber.update'],
  copy: ['subscriber.create'],
  move: ['subscriber.create', 'subscriber.delete'],
  suppress: ['organization_admin'],
  correct_domains: ['subscriber.update'],
  delete: ['subscriber.delete']
}

export const permissionsForUndo: Partial<Record<BulkActionKind, Permission>> = {
  copy: 'subscriber.delete',
  delete: 'subscriber.create'
}
