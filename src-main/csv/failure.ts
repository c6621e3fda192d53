import {
  ApiError,
  ExplainedError,
  internalError,
  refusalOf,
  storageFaultOf,
  validationFailed
} from '../base/errors.ts'
import { type Refusal, refusal } from '../base/refusal.ts'

/** Why an import cannot continue, with the line if there is one. */
export class ImportFailure extends ExplainedError {
  constructor(reason: Refusal, line?: number) {
    super(line === undefined ? reason : refusal('line', { line, fault: reason }))
    this.name = 'ImportFailure'
  }
}

/** Returns why an import could not continue, for the user. */
export function importFault(error: unknown): Refusal {
  if (error instanceof ImportFailure || error instanceof ApiError) return refusalOf(error)
  const storage = storageFaultOf(error)
  if (storage) return refusal('then_import_again', { fault: storage.refusal })
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
    if (error instanceof ImportFailure) throw validationFailed(error.refusal)
    throw error
  }
}
