/** What somebody may ask for, in the order of the buttons. */
export const bulkDialogs = [
  { kind: 'status', icon: 'i-lucide-user-check' },
  { kind: 'field', icon: 'i-lucide-square-pen' },
  { kind: 'copy', icon: 'i-lucide-copy' },
  { kind: 'suppress', icon: 'i-lucide-ban' },
  { kind: 'export', icon: 'i-lucide-file-output' },
  { kind: 'delete', icon: 'i-lucide-trash-2' }
] as const
export type BulkDialogKind = (typeof bulkDialogs)[number]['kind']
