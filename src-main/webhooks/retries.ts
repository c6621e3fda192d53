const [second, minute, hour] = [1000, 60_000, 3_600_000]

/** Between attempts; the last one repeats. */
const intervals = [
  ...[5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute],
  ...[hour, 2 * hour, 4 * hour, 8 * hour, 12 * hour]
]

/** A message is given up, and a webhook disabled, after so long, in milliseconds. */
export const retriedFor = 3 * 24 * hour

/** A webhook is not disabled after fewer attempts: the computer may have been off in between. */
export const leastFailures = intervals.length

/** A receiver that takes none of so many messages is left alone for a while. */
export const maxFailuresInRow = 20
/** It is tried again after so long at the latest, in milliseconds. */
export const longestHold = 10 * minute

/** Returns the wait before the next attempt, in milliseconds. @param attempts those that have failed, from 1 */
export function waitAfter(attempts: number): number {
  return intervals[Math.min(attempts, intervals.length) - 1] ?? 0
}
