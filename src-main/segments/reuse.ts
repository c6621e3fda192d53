/** When something that was found out began to be looked for, and how long that took, in milliseconds; null while it goes on. */
export interface Timed {
  beganAt: number
  took: number | null
}

/** Milliseconds of looking up to which it is done again for each question after a change. */
const doneAnew = 50
/** What takes longer is used again, while things change, for so many times as long as it took. */
const reusedFor = 10

/** Whether what was found before the last change may be answered all the same. */
export function mayBeReused({ beganAt, took }: Timed): boolean {
  const age = performance.now() - beganAt
  return took === null ? age > doneAnew : took > doneAnew && age < took * reusedFor
}
