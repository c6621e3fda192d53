/** Where a value stands in what is edited: names of members, and places in arrays. */
export type Path = readonly (string | number)[]

/** A value that two people changed, each to another one. */
export interface EditConflict {
  path: Path
  base: unknown
  mine: unknown
  theirs: unknown
}

/** What two edits of the same record come to. */
export interface MergedEdits<State> {
  /** Where there is a conflict it has the own value. */
  state: State
  conflicts: EditConflict[]
}

/**
 * Joins the edit of a form with what others made of the record in the meantime. Of objects each member is compared by itself, and so is each
 * item of arrays that hold the same records. Other arrays are one value, and so are objects with a type, such as conditions.
 * @param base what the form began with
 * @param mine what it says now
 * @param theirs what it would say if it began now
 */
export function mergeEdits<State>(base: State, mine: State, theirs: State): MergedEdits<State> {
  const conflicts: EditConflict[] = []
  // The result is made of parts of the three, which have the same shape.
  const state = mergeValues([], base, mine, theirs, conflicts) as State
  return { state, conflicts }
}

function mergeValues(
  path: Path,
  base: unknown,
  mine: unknown,
  theirs: unknown,
  conflicts: EditConflict[]
): unknown {
  if (isEqual(mine, base)) return theirs
  if (isEqual(theirs, base) || isEqual(mine, theirs)) return mine
  if (hasParts(base) && hasParts(mine) && hasParts(theirs)) {
    const names = new Set([...Object.keys(mine), ...Object.keys(theirs)])
    const members = [...names].map((name): [string, unknown] => [
      name,
      mergeValues([...path, name], base[name], mine[name], theirs[name], conflicts)
    ])
    return Object.fromEntries(members.filter(([, value]) => value !== undefined))
  }
  if (holdSameRecords(base, mine) && holdSameRecords(mine, theirs)) {
    const [before, own, other] = [base, mine, theirs] as unknown[][]
    return own?.map((item, index) =>
      mergeValues([...path, index], before?.[index], item, other?.[index], conflicts)
    )
  }
  conflicts.push({ path, base, mine, theirs })
  return mine
}

/** What is edited, with another value in one place. */
export function withValue<State>(state: State, path: Path, value: unknown): State {
  const [step, ...rest] = path
  if (step === undefined) return value as State
  if (Array.isArray(state)) {
    return state.map((item: unknown, index) =>
      index === step ? withValue(item, rest, value) : item
    ) as State
  }
  const members = state as Record<string | number, unknown>
  return { ...members, [step]: withValue(members[step], rest, value) } as State
}

/** Those members that differ; of members that are objects, their members that do. */
export function changedMembers<Members extends object>(before: Members, now: Members): Partial<Members> {
  const former = before as Record<string, unknown>
  const changed = Object.entries(now).flatMap(([name, value]): [string, unknown][] => {
    const was = former[name]
    if (isEqual(was, value)) return []
    return [[name, isObject(was) && isObject(value) ? changedMembers(was, value) : value]]
  })
  return Object.fromEntries(changed) as Partial<Members>
}

function isEqual(a: unknown, b: unknown): boolean {
  if (isObject(a) && isObject(b)) {
    const names = new Set([...Object.keys(a), ...Object.keys(b)])
    return [...names].every((name) => isEqual(a[name], b[name]))
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]))
  }
  return a === b
}

/** True for an object whose members can be changed one by one; half of a condition means nothing. */
function hasParts(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !('type' in value)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True if both are arrays of records that have ids, the same ones in the same order. */
function holdSameRecords(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
  return a.every((item: unknown, index) => {
    const other: unknown = b[index]
    return isObject(item) && isObject(other) && typeof item['id'] === 'number' && item['id'] === other['id']
  })
}
