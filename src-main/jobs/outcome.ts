/** How a thread left its job. */
export type JobOutcome =
  | JobEnd
  /** What is stored says already what follows: it was paused or cancelled, its list was deleted, or another part of it comes next. */
  | { is: 'stopped' }
  /** It goes on at a time, in UNIX milliseconds. */
  | { is: 'later'; at: number }
  /** Something that ends by itself kept it from being written: it begins again after a while. */
  | { is: 'again' }

/** What is to be stored of a job that its thread has left. */
export type JobEnd =
  | { is: 'finished' }
  /** For good; the message says why. */
  | { is: 'failed'; message: string }
  /** Paused until its owner has fixed what the message says. */
  | { is: 'held'; message: string }
