/** A job that is to begin at a time; both in UNIX milliseconds. */
interface Scheduled {
  begins_at: number
  /** When that time was set down. */
  created_at: number
}

/**
 * Whether a job is to begin. One that was to begin at once is due whatever the clock says: it may have been set back since,
 * also while the application was closed.
 */
export function isDue({ begins_at, created_at }: Scheduled, now: number): boolean {
  return begins_at <= now || begins_at <= created_at
}
