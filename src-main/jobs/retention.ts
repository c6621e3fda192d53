// What is removed by its age is removed only while the clock can be believed: one that jumped ahead makes everything old.

/** What is remembered of the clock; both in UNIX milliseconds. */
export interface ClockState {
  /** When it was looked at last. */
  seenAt: number
  /** Where it jumped to, and later if it was looked at seldom since; null when it is believed. */
  jumpedAt: number | null
}

const minute = 60_000
const day = 24 * 60 * minute
/** A computer is off or asleep for a night; longer than this cannot be told from a clock that jumped. */
const maxAbsence = day
/** Set back by more than this is no adjustment. */
const maxAdjustment = 5 * minute
/** For so long the clock has to go on from where it jumped to before it is believed. */
const probation = day
/** What a single look at it adds to that at most: after some looks it is believed also where nobody works every day. */
const maxCredit = day / 2

/**
 * @param before what was remembered; null where nothing was
 * @param now by the clock
 * @returns what to remember, and whether anything may be removed by its age
 */
export function lookAtClock(before: ClockState | null, now: number): ClockState & { isBelieved: boolean } {
  if (!before) return { seenAt: now, jumpedAt: null, isBelieved: true }
  const jumpedAt = doubtedFrom(before, now)
  const isBelieved = jumpedAt === null || now - jumpedAt >= probation
  return { seenAt: now, jumpedAt: isBelieved ? null : jumpedAt, isBelieved }
}

/** From when on the clock has to go on before it is believed; null while it is. */
function doubtedFrom({ seenAt, jumpedAt }: ClockState, now: number): number | null {
  const passed = now - seenAt
  if (passed < -maxAdjustment) return now
  if (jumpedAt === null) return passed > maxAbsence ? now : null
  return jumpedAt + Math.max(0, passed - maxCredit)
}
