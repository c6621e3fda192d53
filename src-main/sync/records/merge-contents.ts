import { type Changed, decide, type MergeRules } from '../merge.ts'
import type { Side } from '../schema.ts'

/** A record by the API's names, with local ids in references. null = blank. */
export type Content = Record<string, unknown>

export interface ContentConflict {
  field: string
  local: unknown
  remote: unknown
  keep: Side | null
}

export interface MergedContent {
  /** The content to write here; null = unchanged. */
  local: Content | null
  /** The content to write to the remote; null = unchanged. */
  remote: Content | null
  /** The new agreed state. A field on which the sides still differ keeps its old agreed value. */
  agreed: Content
  conflicts: ContentConflict[]
}

/**
 * Merges a record field by field.
 * @param agreed the last agreed state; null = the records were matched for the first time
 * @param decisions a user's decisions by field, which override every rule
 */
export function mergeContents(
  local: Content,
  remote: Content,
  agreed: Content | null,
  rules: MergeRules,
  decisions: ReadonlyMap<string, Side> = new Map()
): MergedContent {
  const [here, there, next] = [{ ...local }, { ...remote }, { ...agreed }]
  const conflicts: ContentConflict[] = []
  const changes = { local: false, remote: false }
  for (const field of Object.keys(local)) {
    const [mine, theirs] = [local[field], remote[field]]
    if (isSame(mine, theirs)) {
      next[field] = mine
      continue
    }
    const decided = decisions.get(field)
    const { keep, isConflict } = decided
      ? { keep: decided, isConflict: false }
      : decideField(mine, theirs, agreed && { before: agreed[field] }, rules)
    if (isConflict) conflicts.push({ field, local: mine, remote: theirs, keep })
    if (keep === null) continue
    next[field] = keep === 'local' ? mine : theirs
    if (keep === 'local') there[field] = mine
    else here[field] = theirs
    changes[keep === 'local' ? 'remote' : 'local'] = true
  }
  return {
    local: changes.local ? here : null,
    remote: changes.remote ? there : null,
    agreed: next,
    conflicts
  }
}

function decideField(mine: unknown, theirs: unknown, agreed: { before: unknown } | null, rules: MergeRules) {
  if (!agreed && isBlank(mine) !== isBlank(theirs)) {
    return { keep: isBlank(mine) ? ('remote' as const) : ('local' as const), isConflict: false }
  }
  return decide(agreed ? changedSides(mine, theirs, agreed.before) : 'both', rules)
}

function changedSides(mine: unknown, theirs: unknown, before: unknown): Changed {
  if (isSame(theirs, before)) return 'local'
  return isSame(mine, before) ? 'remote' : 'both'
}

export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
}

function isBlank(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}
