const minute = 60_000
const hour = 60 * minute

/** When messages are tried again. */
export interface RetrySchedule {
  /** Milliseconds between attempts; the last one repeats. */
  pauses: readonly [number, ...number[]]
  /** Milliseconds after the first attempt in which a message may be tried again. */
  triedFor: number
  /** The first and the longest pause after which a server that took no messages is tried again, in milliseconds. */
  serverPauses: readonly [number, number]
  /** The first and the longest pause of a domain that asked for fewer messages, in milliseconds. */
  domainPauses: readonly [number, number]
  /** The pauses after which a database that gave no recipients is asked again, in milliseconds; after them the campaign is paused. */
  readingPauses: readonly number[]
}

export const usualSchedule: RetrySchedule = {
  pauses: [5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour],
  triedFor: 72 * hour,
  serverPauses: [minute / 2, 15 * minute],
  domainPauses: [minute, 30 * minute],
  // docs/api.md, "Remote Lists".
  readingPauses: [minute, 5 * minute]
}

/**
 * Returns the pause after an attempt, in milliseconds; null if the message has been tried for long enough.
 * @param attempts that were made, from 1
 */
export function pauseAfter(attempts: number, { pauses, triedFor }: RetrySchedule): number | null {
  const pauseOf = (attempt: number): number => pauses[Math.min(attempt, pauses.length) - 1] ?? pauses[0]
  let sum = 0
  for (let attempt = 1; attempt <= attempts; attempt++) sum += pauseOf(attempt)
  return sum > triedFor ? null : pauseOf(attempts)
}
