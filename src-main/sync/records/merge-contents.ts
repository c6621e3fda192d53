import { type Changed, decide, type MergeRules } from '../merge.ts'
import type { Side } from '../schema.ts'

/** A record as both sides write it, by the names of the API; references by the ids of this side. null = blank. */
export type Content = Record<string, unknown>

export interface ContentConflict {
  field: string
  local: unknown
  remote: unknown
  keep: Side | null
}

/** What becomes of a record that both sides have. */
export interface MergedContent {
  /** What this side is to have; null = it has it. */
  local: Content | null
  /** What the remote is to have; null = it has it. */
  remote: Content | null
  /** What both have then; of what they still do not have in common, what they had. */
  agreed: Content
  conflicts: ContentConflict[]
}

/**
 * Merges a record, field by field.
 * @param agreed what both sides had; null = they meet for the first time
 * @param decisions of a person, by field: they win over every rule
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
  return decide(agreed ? whoChanged(mine, theirs, agreed.before) : 'both', rules)
}

function whoChanged(mine: unknown, theirs: unknown, before: unknown): Changed {
  if (isSame(theirs, before)) return 'local'
  return isSame(mine, before) ? 'remote' : 'both'
}

export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
}

function isBlank(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}
