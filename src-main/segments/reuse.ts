/** When a result was started and how long it took, in milliseconds; null = in progress. */
export interface Timed {
  beganAt: number
  took: number | null
}

/** Milliseconds of looking up to which it is done again for each question after a change. */
const doneAnew = 50
/** While data changes, a slow result is reused for so many times its duration. */
const reusedFor = 10

/** True if a result from before the last change may still be used. */
export function mayBeReused({ beganAt, took }: Timed): boolean {
  const age = performance.now() - beganAt
  return took === null ? age > doneAnew : took > doneAnew && age < took * reusedFor
}
