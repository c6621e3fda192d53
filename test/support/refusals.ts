import { type Complaint, englishOf } from '../../src-main/base/refusal.ts'

/** What is wrong with a value in English, without the name of its field; null for nothing. */
export function textOf(complaint: Complaint | null): string | null {
  return complaint && englishOf({ ...complaint, field: '' }).trimStart()
}
