import type { Library } from './endpoints.ts'

export const builtParts = ['main', 'renderer'] as const

/** The libraries of all parts by name, each once. */
export function allLibraries(parts: readonly Library[][]): Library[] {
  const all = new Map(parts.flat().map((each) => [`${each.name} ${each.version}`, each]))
  return [...all.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'))
}
