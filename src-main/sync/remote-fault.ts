/** Why a call of the remote did not do what it was to do. */
export type RemoteFaultKind =
  /** It does not take the key, or not for this: a person has to do something. */
  | 'key'
  /** It refuses this record, for the reason that it gives; the next one may fare better. */
  | 'refused'
  /** There is no such record, or no such call. */
  | 'not_found'
  /** It cannot be reached, is busy, or answers something that is no answer: later. */
  | 'unavailable'
  /** Its answer contradicts itself, or is not what the API promises: nothing follows from it, and the next run asks again. */
  | 'invalid'
  /** Its answer is longer than one may be. */
  | 'too_long'

/** What went wrong with a call of the remote, in a sentence for its owner. */
export class RemoteFault extends Error {
  readonly kind: RemoteFaultKind

  constructor(kind: RemoteFaultKind, message: string) {
    super(message)
    this.name = 'RemoteFault'
    this.kind = kind
  }
}

/** Whether an error is a fault of one of these kinds. */
export function isFault(error: unknown, ...kinds: RemoteFaultKind[]): error is RemoteFault {
  return error instanceof RemoteFault && kinds.includes(error.kind)
}
