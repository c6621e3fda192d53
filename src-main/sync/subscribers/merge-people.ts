import { type Changed, decide, type Decision, type MergeRules } from '../merge.ts'
import type { Side } from '../schema.ts'
import { type Agreed, hashOf } from './agreed.ts'
import { type Person, sameValue, slots, type Value } from './person.ts'
import { isRemoved } from './statuses.ts'

/** A value that was chosen on both sides. */
export interface PersonConflict {
  slot: number
  local: Value | null
  remote: Value | null
  keep: Side | null
}

export interface MergedPerson {
  /** The values to write here; null = unchanged. */
  local: Person | null
  /** The values to write to the remote; null = unchanged. */
  remote: Person | null
  /** The new agreed state. A value on which the sides still differ keeps its old agreed value. */
  agreed: Agreed
  conflicts: PersonConflict[]
}

/**
 * Merges a subscriber value by value.
 * @param agreed the last agreed state; null = matched for the first time
 * @param decisions a user's decisions by slot, which override every rule
 */
export function mergePeople(
  local: Person,
  remote: Person,
  agreed: Agreed | null,
  rules: MergeRules,
  decisions: ReadonlyMap<number, Side> = new Map()
): MergedPerson {
  const here = new Map(local)
  const there = new Map(remote)
  const next: Agreed = new Map()
  const conflicts: PersonConflict[] = []
  let changesHere = false
  let changesThere = false
  for (const slot of new Set([...local.keys(), ...remote.keys()])) {
    const [mine, theirs] = [local.get(slot), remote.get(slot)]
    if (sameValue(mine, theirs)) {
      if (mine !== undefined) next.set(slot, hashOf(mine))
      continue
    }
    const before = agreed?.get(slot)
    const decided = decisions.get(slot)
    const { keep, isConflict } = decided
      ? { keep: decided, isConflict: false }
      : decideSlot(slot, { mine, theirs, before, isKnown: agreed !== null }, rules)
    if (isConflict) conflicts.push({ slot, local: mine ?? null, remote: theirs ?? null, keep })
    if (keep === null) {
      if (before !== undefined) next.set(slot, before)
      continue
    }
    const kept = keep === 'local' ? mine : theirs
    if (kept !== undefined) next.set(slot, hashOf(kept))
    if (keep === 'local') {
      setOrClear(there, slot, kept)
      changesThere = true
    } else {
      setOrClear(here, slot, kept)
      changesHere = true
    }
  }
  return { local: changesHere ? here : null, remote: changesThere ? there : null, agreed: next, conflicts }
}

function setOrClear(person: Person, slot: number, value: Value | undefined): void {
  if (value === undefined) person.delete(slot)
  else person.set(slot, value)
}

interface SlotState {
  mine: Value | undefined
  theirs: Value | undefined
  /** The hash of what both had; undefined = it was blank, or never agreed on. */
  before: number | undefined
  /** True if the sides ever agreed on this subscriber. */
  isKnown: boolean
}

function decideSlot(slot: number, state: SlotState, rules: MergeRules): Decision {
  const changed = changedSides(state)
  if (slot === slots.status) return decideStatus(String(state.mine), String(state.theirs), changed, rules)
  // When subscribers are matched for the first time, no changes are known: the earlier subscribe time is
  // kept.
  if (
    !state.isKnown &&
    slot === slots.subscribe_time &&
    state.mine !== undefined &&
    state.theirs !== undefined
  ) {
    return { keep: state.mine < state.theirs ? 'local' : 'remote', isConflict: false }
  }
  // A value that only one side has is taken over by the other.
  if (!state.isKnown && (state.mine === undefined || state.theirs === undefined)) {
    if (state.mine !== undefined) return { keep: 'local', isConflict: false }
    return { keep: 'remote', isConflict: false }
  }
  return decide(changed, rules)
}

function changedSides({ mine, theirs, before, isKnown }: SlotState): Changed {
  if (!isKnown) return 'both'
  if (hashOrBlank(theirs) === before) return 'local'
  return hashOrBlank(mine) === before ? 'remote' : 'both'
}

function hashOrBlank(value: Value | undefined): number | undefined {
  return value === undefined ? undefined : hashOf(value)
}

/**
 * A subscriber who unsubscribed, complained or bounced on one side never becomes active by a change of the
 * other side, whichever is newer and whichever side wins: only a user decides that. The reverse change is
 * recorded as a conflict.
 */
function decideStatus(mine: string, theirs: string, changed: Changed, rules: MergeRules): Decision {
  const [isRemovedHere, isRemovedThere] = [isRemoved(mine), isRemoved(theirs)]
  if (isRemovedHere === isRemovedThere) {
    // Both statuses are removed ones. The remote's is kept, since the remote sends the messages.
    if (isRemovedHere && changed === 'remote') return { keep: 'remote', isConflict: false }
    return decide(changed, rules)
  }
  const removing: Side = isRemovedHere ? 'local' : 'remote'
  return { keep: removing, isConflict: changed !== removing }
}
