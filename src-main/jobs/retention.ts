// Records are removed by age only while the clock can be trusted: after a jump ahead everything would look
// old.

export interface ClockState {
  /** UNIX milliseconds. */
  seenAt: number
  /** Milliseconds that the application has run since the clock jumped, by a clock that cannot be set; null when it is believed. */
  livedSinceJump: number | null
}

const minute = 60_000
const hour = 60 * minute
/** A computer may be off for a night; a longer gap may be a wrong clock. */
const maxAbsence = 24 * hour
/** Set back by more than this is no adjustment. */
const maxAdjustment = 5 * minute
/**
 * How long the application must run before a jump of the clock is accepted: most of a working day, in which a
 * user notices a wrong date. Only run time counts, since a clock that is wrong repeatedly would otherwise be
 * accepted.
 */
const probation = 6 * hour

/**
 * @param before the last state; null = none
 * @param now the clock in UNIX milliseconds
 * @param lived milliseconds of run time since the last check by a monotonic clock; 0 for the first check
 * @returns the new state, and whether data may be deleted by age
 */
export function checkClock(
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
  // The clock was set back, so either the former or the present time is wrong: the wait starts.
  if (passed < -maxAdjustment) return 0
  if (livedSinceJump === null) return passed > maxAbsence ? 0 : null
  // If the clock moved much further than the application ran, it jumped: the wait starts again.
  return lived > 0 && passed > lived + maxAbsence ? 0 : livedSinceJump + lived
}
