/** The path of a value: member names and array indexes. */
export type Path = readonly (string | number)[]

/** A value that two people changed, each to another one. */
export interface EditConflict {
  path: Path
  base: unknown
  mine: unknown
  theirs: unknown
}

/** The merged result of two edits of a record. */
export interface MergedEdits<State> {
  /** Conflicting values are the user's own. */
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
  const records = mergeRecords(path, base, mine, theirs, conflicts)
  if (records) return records
  conflicts.push({ path, base, mine, theirs })
  return mine
}

function idsOf(records: RecordItem[]): number[] {
  return records.flatMap(({ id }) => id ?? [])
}

function findRecord(records: RecordItem[], id: number): RecordItem | undefined {
  return records.find((record) => record.id === id)
}

/** True if the records that both have are in the same order. */
function isInSameOrder(base: RecordItem[], records: RecordItem[]): boolean {
  const [before, now] = [idsOf(base), idsOf(records)]
  return isEqual(
    now.filter((id) => before.includes(id)),
    before.filter((id) => now.includes(id))
  )
}

/** True if one side removed a record that the other side changed. */
function isRemovedAndChanged(base: RecordItem[], removing: RecordItem[], changing: RecordItem[]): boolean {
  return base.some((record) => {
    const id = record.id ?? 0
    const changed = findRecord(changing, id)
    return changed !== undefined && !findRecord(removing, id) && !isEqual(changed, record)
  })
}

/**
 * Merges arrays of records by their ids: what both kept is merged, and what each added or removed is. Null where that says too little: for other
 * arrays, where records were put into another order, and where one person removed what the other changed.
 */
function mergeRecords(
  path: Path,
  base: unknown,
  mine: unknown,
  theirs: unknown,
  conflicts: EditConflict[]
): unknown[] | null {
  if (!areRecords(base) || !areRecords(mine) || !areRecords(theirs)) return null
  if (!isInSameOrder(base, mine) || !isInSameOrder(base, theirs)) return null
  if (isRemovedAndChanged(base, mine, theirs) || isRemovedAndChanged(base, theirs, mine)) return null
  const merged: unknown[] = []
  for (const other of theirs) {
    const id = other.id ?? 0
    const [before, own] = [findRecord(base, id), findRecord(mine, id)]
    if (before && !own) continue
    merged.push(own ? mergeValues([...path, merged.length], before ?? other, own, other, conflicts) : other)
  }
  // Items that the user added come last.
  return [...merged, ...mine.filter(({ id }) => id === undefined)]
}

interface RecordItem {
  id?: number
}

function areRecords(value: unknown): value is RecordItem[] {
  if (!Array.isArray(value) || !value.every(isObject)) return false
  const ids = value.flatMap(({ id }) => (typeof id === 'number' ? id : []))
  return (
    value.every(({ id }) => id === undefined || typeof id === 'number') &&
    new Set(ids).size === ids.length &&
    ids.length > 0
  )
}

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

/** Returns the members that differ, and for nested objects their differing members. */
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

/** True for an object whose members can be changed independently; half of a condition would mean nothing. */
function hasParts(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !('type' in value)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
