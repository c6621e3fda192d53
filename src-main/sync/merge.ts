import type { Side } from './schema.ts'

/** Decides which side wins where both changed a value, and whether changes of the remote are applied here. */
export interface MergeRules {
  direction: 'mirror' | 'both'
  conflicts: Side | 'ask'
}

/** The result of merging one value on which the sides differ. */
export interface Decision {
  /** The side that wins; null = each side keeps its value until a user decides. */
  keep: Side | null
  /** True if a value that a user chose is overwritten; it is recorded as a conflict. */
  isConflict: boolean
}

/** The side that changed a value since the last agreed state. */
export type Changed = Side | 'both'

/** Decides about a value by which side changed it. */
export function decide(changed: Changed, { direction, conflicts }: MergeRules): Decision {
  if (changed === 'local') return { keep: 'local', isConflict: false }
  if (direction === 'mirror') return { keep: 'local', isConflict: true }
  if (changed === 'remote') return { keep: 'remote', isConflict: false }
  return { keep: conflicts === 'ask' ? null : conflicts, isConflict: true }
}
