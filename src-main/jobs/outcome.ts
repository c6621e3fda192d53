/** How a thread left its job. */
export type JobOutcome =
  | JobEnd
  /** It was paused or cancelled, or its list was deleted: what is stored says so already. */
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
