import type { Side } from './schema.ts'

/** Which side wins where both changed a value, and whether changes come back at all. */
export interface MergeRules {
  direction: 'mirror' | 'both'
  conflicts: Side | 'ask'
}

/** What becomes of one value that the two sides do not have in common. */
export interface Decision {
  /** Whose value both get; null = each keeps its own until somebody decides. */
  keep: Side | null
  /** Whether a value is lost by it that somebody chose: it is recorded. */
  isConflict: boolean
}

/** Who changed a value since both sides last agreed on it. */
export type Changed = Side | 'both'

/** Decides about a value by who changed it. */
export function decide(changed: Changed, { direction, conflicts }: MergeRules): Decision {
  if (changed === 'local') return { keep: 'local', isConflict: false }
  if (direction === 'mirror') return { keep: 'local', isConflict: true }
  if (changed === 'remote') return { keep: 'remote', isConflict: false }
  return { keep: conflicts === 'ask' ? null : conflicts, isConflict: true }
}
