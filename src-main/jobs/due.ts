import type { Flag } from '../database/schema.ts'

/** A job that is to begin at a time (UNIX milliseconds), or as soon as it is made. */
interface Scheduled {
  begins_at: number
  begins_at_once: Flag
}

/**
 * Returns when a job is due, in UNIX milliseconds. One that was to start at once is due whatever the clock
 * says: it may have been set back since.
 */
export function dueTime({ begins_at, begins_at_once }: Scheduled): number {
  return begins_at_once === 1 ? 0 : begins_at
}
