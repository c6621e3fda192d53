/** The reserved names of column_mapping (docs/api.md, "Subscriber imports"). */
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

/**
 * A mapping whose reserved names are written as they are defined: clients write them in any letter case, which stands for
 * a custom field only where the list has one of that name.
 */
export function plainMapping(
  mapping: readonly (string | null)[],
  fields: readonly { name: string }[]
): (string | null)[] {
  const names = new Set(fields.map(({ name }) => name.toLowerCase()))
  return mapping.map((name) => {
    const key = name?.trim().toLowerCase() ?? ''
    return isImportColumn(key) && !names.has(key) ? key : name
  })
}

/** How long the logs of an import can be read after it ended, in milliseconds (docs/api.md, "Limits"). */
export const logTime = 7 * 24 * 60 * 60 * 1000

/**
 * True while the logs of an import can be read. Their files may be there for longer: they are removed while the application runs and
 * the clock is believed.
 * @param finishedAt UNIX milliseconds; null = it has not ended
 */
export function hasLogs({ finished_at: finishedAt }: { finished_at: number | null }, now: number): boolean {
  return finishedAt === null || now - finishedAt < logTime
}
