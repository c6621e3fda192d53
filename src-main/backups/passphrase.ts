import { validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { minPassphrase } from './schema.ts'

/** @throws ApiError validation_failed where it is too short */
export function requirePassphrase(passphrase: string): void {
  if ([...passphrase.trim()].length < minPassphrase)
    throw validationFailed(refusal('passphrase', { field: 'passphrase', least: minPassphrase }))
}
