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

/** States with work left. */
export const unfinishedStates = ['scheduled', 'downloading', 'splitting', 'importing', 'paused'] as const

/** States in which a thread works on an import, or soon will. */
export const runningStates = ['scheduled', 'downloading', 'splitting', 'importing'] as const

/**
 * Returns a mapping with reserved names in their defined letter case. In another case they mean a custom
 * field if the list has one of that name.
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

/**
 * Time for which the logs of an import are available after its end, in milliseconds (docs/api.md, "Limits").
 */
export const logTime = 7 * 24 * 60 * 60 * 1000

/**
 * True while the logs of an import are available. Their files may exist longer: they are deleted while the
 * application runs and the clock is plausible.
 * @param finishedAt UNIX milliseconds; null = running
 */
export function hasLogs({ finished_at: finishedAt }: { finished_at: number | null }, now: number): boolean {
  return finishedAt === null || now - finishedAt < logTime
}
