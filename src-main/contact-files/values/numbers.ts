import { type Complaint, complaint } from '../../base/refusal.ts'

/** Whether a text is the same again after it was a whole number: not 01067, not +49, not an id of 20 digits. */
export function survivesAsNumber(text: string): boolean {
  return /^(?:0|-?[1-9]\d{0,14})$/.test(text)
}

/** Why a text would be another one as a number; null where it would not, or is none. */
export function numberLoss(value: string): Complaint | null {
  if (/^[+-]?0\d+$/.test(value)) return complaint('loses_zero', { value })
  if (/^\+\d+$/.test(value)) return complaint('loses_plus', { value })
  return null
}
