import { ApiError, internalError, storageFaultOf, validationFailed } from '../base/errors.ts'

/** Why an import cannot continue: a sentence for the user, with the line if there is one. */
export class ImportFailure extends Error {
  constructor(message: string, line?: number) {
    super(line === undefined ? message : `Line ${line}: ${message}`)
    this.name = 'ImportFailure'
  }
}

/** Returns why an import could not continue, for the user. */
export function failureMessage(error: unknown): string {
  // These errors explain themselves.
  if (error instanceof ImportFailure || error instanceof ApiError) return error.message
  const storage = storageFaultOf(error)
  if (storage) return `${storage.message}, then import the file again`
  return internalError('The import', error)
}

/**
 * Converts failures of reading a file for a waiting caller.
 * @throws ApiError validation_failed for faults of the file
 */
export async function refusingFailures<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ImportFailure) throw validationFailed(error.message)
    throw error
  }
}
