import type { Content } from '../../api/templates.ts'

/** A content that is being written; one without an id is new. */
export type DraftContent = Omit<Content, 'id'> & { id?: number }

/** @param number from 1 */
export function newContent(number: number): DraftContent {
  return {
    name: `Version ${String.fromCharCode(64 + number)}`,
    subject: '',
    format: 'both',
    html: '',
    text: ''
  }
}
