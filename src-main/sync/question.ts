import { type Refusal } from '../base/refusal.ts'
import { ExplainedError } from '../base/errors.ts'
import type { Question as QuestionKind } from './schema.ts'

/** Ends a run: the user has to decide before it can continue. */
export class Question extends ExplainedError {
  readonly kind: QuestionKind
  /** null = none. */
  readonly mailingListId: number | null

  /** @param reason what happened */
  constructor(kind: QuestionKind, reason: Refusal, mailingListId: number | null = null) {
    super(reason)
    this.name = 'Question'
    this.kind = kind
    this.mailingListId = mailingListId
  }
}
