import type { Question as QuestionKind } from './schema.ts'

/** Ends a run: a person has to decide something before it can go on. */
export class Question extends Error {
  readonly kind: QuestionKind
  /** The list that it is about; null = none. */
  readonly mailingListId: number | null

  /** @param message what happened, in a sentence or two */
  constructor(kind: QuestionKind, message: string, mailingListId: number | null = null) {
    super(message)
    this.name = 'Question'
    this.kind = kind
    this.mailingListId = mailingListId
  }
}
