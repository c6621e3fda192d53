import { type Complaint, complaint } from '../../base/refusal.ts'

/**
 * True if a text is unchanged after conversion to a whole number: not 01067, not +49, not an id of 20 digits.
 */
export function survivesAsNumber(text: string): boolean {
  return /^(?:0|-?[1-9]\d{0,14})$/.test(text)
}

/** Returns why converting a text to a number would change it, or null. */
export function numberLoss(value: string): Complaint | null {
  if (/^[+-]?0\d+$/.test(value)) return complaint('loses_zero', { value })
  if (/^\+\d+$/.test(value)) return complaint('loses_plus', { value })
  return null
}
