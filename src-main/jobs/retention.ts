// What is removed by its age is removed only while the clock can be believed: one that jumped ahead makes everything old.

/** What is remembered of the clock. */
export interface ClockState {
  /** When it was looked at last, in UNIX milliseconds. */
  seenAt: number
  /** Milliseconds that the application has run since the clock jumped, by a clock that cannot be set; null when it is believed. */
  livedSinceJump: number | null
}

const minute = 60_000
const hour = 60 * minute
/** A computer is off or asleep for a night; longer than this cannot be told from a clock that jumped. */
const maxAbsence = 24 * hour
/** Set back by more than this is no adjustment. */
const maxAdjustment = 5 * minute
/**
 * For so long the application has to run before a clock that jumped is believed: most of a working day, in which someone notices a wrong
 * date. Time that passed by the clock alone does not count: a clock that is wrong several times would be believed.
 */
const probation = 6 * hour

/**
 * @param before what was remembered; null where nothing was
 * @param now by the clock, in UNIX milliseconds
 * @param lived milliseconds that the application has run since it last looked, by a clock that cannot be set; 0 for its first look
 * @returns what to remember, and whether anything may be removed by its age
 */
export function lookAtClock(
  before: ClockState | null,
  now: number,
  lived: number
): ClockState & { isBelieved: boolean } {
  if (!before) return { seenAt: now, livedSinceJump: null, isBelieved: true }
  const livedSinceJump = livedInDoubt(before, now, lived)
  const isBelieved = livedSinceJump === null || livedSinceJump >= probation
  return { seenAt: now, livedSinceJump: isBelieved ? null : livedSinceJump, isBelieved }
}

/** Milliseconds lived since the clock jumped; null while it is believed. */
function livedInDoubt({ seenAt, livedSinceJump }: ClockState, now: number, lived: number): number | null {
  const passed = now - seenAt
  // Whatever it jumps to now, it was wrong before.
  if (passed < -maxAdjustment) return 0
  if (livedSinceJump === null) return passed > maxAbsence ? 0 : null
  // While the application ran, the clock went on as time did: after a jump in between, the wait begins again.
  return lived > 0 && passed > lived + maxAbsence ? 0 : livedSinceJump + lived
}
