import { type Complaint, englishOf } from '../../src-main/base/refusal.ts'

/** Returns a complaint in English without the field's name, or null. */
export function textOf(complaint: Complaint | null): string | null {
  return complaint && englishOf({ ...complaint, field: '' }).trimStart()
}
