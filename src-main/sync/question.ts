import type { Question as QuestionKind } from './schema.ts'

/** Ends a run: the user has to decide before it can continue. */
export class Question extends Error {
  readonly kind: QuestionKind
  /** null = none. */
  readonly mailingListId: number | null

  /** @param message what happened, in a sentence or two */
  constructor(kind: QuestionKind, message: string, mailingListId: number | null = null) {
    super(message)
    this.name = 'Question'
    this.kind = kind
    this.mailingListId = mailingListId
  }
}
