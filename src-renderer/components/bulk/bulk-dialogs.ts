import type { Access } from '../../../src-main/http/access.ts'

/** What somebody may ask for, in the order of the buttons, and what it takes to be offered. */
export const bulkDialogs = [
  { kind: 'status', icon: 'i-lucide-user-check', access: ['subscriber.update'] },
  { kind: 'field', icon: 'i-lucide-square-pen', access: ['subscriber.update'] },
  { kind: 'copy', icon: 'i-lucide-copy', access: ['subscriber.create'] },
  { kind: 'suppress', icon: 'i-lucide-ban', access: ['organization_admin'] },
  { kind: 'export', icon: 'i-lucide-file-output', access: ['subscriber.export'] },
  { kind: 'delete', icon: 'i-lucide-trash-2', access: ['subscriber.delete'] }
] as const satisfies { kind: string; icon: string; access: readonly Access[] }[]
export type BulkDialogKind = (typeof bulkDialogs)[number]['kind']
