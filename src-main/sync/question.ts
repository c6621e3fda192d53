import type { Question as QuestionKind } from './schema.ts'

/** Ends a run: a person has to decide something before it can go on. */
export class Question extends Error {
  readonly kind: QuestionKind

  /** @param message what happened, in a sentence or two */
  constructor(kind: QuestionKind, message: string) {
    super(message)
    this.name = 'Question'
    this.kind = kind
  }
}
