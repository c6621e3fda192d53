import { validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'

/** A name as it is kept, and in the form in which two are the same: letter case does not count. */
export function namesOf(name: string): { name: string; name_key: string } {
  return { name: name.trim(), name_key: name.trim().toLowerCase() }
}

/**
 * @param others the records beside which the name must be its only one
 * @param ownId of the record that gets the name; null for a new one
 * @param kind what the records are, for the sentence
 * @throws ApiError validation_failed when another one has the name
 */
export function requireFreeName(
  others: readonly { id: number; name_key: string }[],
  name: string,
  ownId: number | null,
  kind: string
): void {
  const { name: shown, name_key: key } = namesOf(name)
  if (others.some((other) => other.name_key === key && other.id !== ownId)) {
    throw validationFailed(refusal('name_taken', { field: 'name', name: shown, kind }))
  }
}
