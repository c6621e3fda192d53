import { undoWithin } from '../public-pages/texts.ts'

const minute = 60_000

/** When removals are written back. */
export interface WriteBackSchedule {
  /** Milliseconds that a removal waits before: for a moment an unsubscribe can be undone. */
  delay: number
  /** Milliseconds after which a database that cannot be written is tried again; the last one repeats. */
  pauses: readonly [number, ...number[]]
}

export const usualWriteBackSchedule: WriteBackSchedule = {
  delay: undoWithin + 10_000,
  pauses: [minute, 5 * minute, 15 * minute, 60 * minute]
}
