/** Functions that must all agree before the page is left. */
const guards = new Set<() => Promise<boolean>>()
let leavesForGood = false

/** Asks before the window is left. @returns a function that ends this */
export function guardLeaving(mayLeave: () => Promise<boolean>): () => void {
  guards.add(mayLeave)
  return () => void guards.delete(mayLeave)
}

/**
 * Asks all guards before the window is left.
 * @returns true if it may be left
 */
export async function mayLeaveWindow(): Promise<boolean> {
  for (const mayLeave of guards) if (!(await mayLeave())) return false
  return true
}

/** @returns true if unsaved work is given up: it cannot be saved any more, or the user decided so */
export function isLeftForGood(): boolean {
  return leavesForGood
}

/** Stops asking about unsaved work from now on, because the window reloads. */
export function leaveForGood(): void {
  leavesForGood = true
}
