/** The reserved names of column_mapping (spec, "Mapping"; confirmed: supplement, section 2). */
export const importColumns = [
  'email',
  'status',
  'email_format',
  'confirmed',
  'subscribe_time',
  'subscribe_ip',
  'remove_time',
  'remove_ip'
] as const
export type ImportColumn = (typeof importColumns)[number]

export function isImportColumn(name: string): name is ImportColumn {
  return (importColumns as readonly string[]).includes(name)
}

/** States in which an import has work left. */
export const unfinishedStates = ['scheduled', 'downloading', 'splitting', 'importing', 'paused'] as const

/** States in which a thread works, or is about to work, on an import. */
export const runningStates = ['scheduled', 'downloading', 'splitting', 'importing'] as const
