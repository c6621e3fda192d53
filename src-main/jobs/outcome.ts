import { type Refusal } from '../base/refusal.ts'
/** The outcome of a job's thread. */
export type JobOutcome =
  | JobEnd
  /** The stored state already says what comes next: it was paused or cancelled, its list was deleted, or another part of it follows. */
  | { is: 'stopped' }
  /** Another program had locked the data: it begins again shortly. */
  | { is: 'again' }

export type JobEnd =
  | { is: 'finished' }
  /** Failed for good. */
  | { is: 'failed'; fault: Refusal }
  /** Paused until its owner has fixed what the refusal says. */
  | { is: 'held'; fault: Refusal }
