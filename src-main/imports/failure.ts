import { messageOf } from '../errors.ts'

/** Why an import cannot go on: a sentence for its owner that names the line where there is one. */
export class ImportFailure extends Error {
  constructor(message: string, line?: number) {
    super(line === undefined ? message : `Line ${line}: ${message}`)
    this.name = 'ImportFailure'
  }
}

/** Why an import could not go on, for the user. */
export function failureMessage(error: unknown): string {
  return error instanceof ImportFailure
    ? error.message
    : `The import stopped by an error of ours: ${messageOf(error)}`
}
