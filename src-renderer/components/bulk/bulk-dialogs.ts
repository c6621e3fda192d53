import { accessFor } from '../../../src-main/api/bulk-actions/rights.ts'
import type { Access } from '../../../src-main/http/access.ts'

/** The dialogs in the order of their buttons. */
export const bulkDialogs = [
  { kind: 'status', icon: 'i-lucide-user-check' },
  { kind: 'field', icon: 'i-lucide-square-pen' },
  { kind: 'copy', icon: 'i-lucide-copy' },
  { kind: 'suppress', icon: 'i-lucide-ban' },
  { kind: 'export', icon: 'i-lucide-file-output' },
  { kind: 'delete', icon: 'i-lucide-trash-2' }
] as const
export type BulkDialogKind = (typeof bulkDialogs)[number]['kind']

/** The permissions for each dialog. */
export const accessToDialog: Record<BulkDialogKind, readonly Access[]> = {
  status: accessFor.set_status,
  field: accessFor.set_field,
  copy: accessFor.copy,
  suppress: accessFor.suppress,
  export: ['subscriber.export'],
  delete: accessFor.delete
}
