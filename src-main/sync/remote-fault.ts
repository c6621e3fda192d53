import { type Refusal } from '../base/refusal.ts'
import { ExplainedError } from '../base/errors.ts'
/** The kinds of failures of a call to the remote. */
export type RemoteFaultKind =
  /** The key is not accepted, or not for this: the user has to act. */
  | 'key'
  /** This record is refused with a reason; the next one may be accepted. */
  | 'refused'
  /** There is no such record or call. */
  | 'not_found'
  /** Unreachable, busy, or an unusable answer: retry later. */
  | 'unavailable'
  /** The answer contradicts itself or the API: it is ignored, and the next run asks again. */
  | 'invalid'
  /** The answer is too long. */
  | 'too_long'

/** A failed call to the remote, with a sentence for the user. */
export class RemoteFault extends ExplainedError {
  readonly kind: RemoteFaultKind

  constructor(kind: RemoteFaultKind, reason: Refusal) {
    super(reason)
    this.name = 'RemoteFault'
    this.kind = kind
  }
}

export function isFault(error: unknown, ...kinds: RemoteFaultKind[]): error is RemoteFault {
  return error instanceof RemoteFault && kinds.includes(error.kind)
}
