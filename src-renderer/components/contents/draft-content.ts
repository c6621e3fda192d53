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

/** Gives contents that were new the ids that they were saved with; those that were typed further stay as they are. */
export function takeIds(contents: DraftContent[], saved: readonly Content[]): void {
  if (contents.length !== saved.length) return
  for (const [index, content] of contents.entries()) {
    const id = saved[index]?.id
    if (content.id === undefined && id !== undefined) content.id = id
  }
}

/** Whom a message comes from, where that is another than its list says. */
export interface Sender {
  from_name: string
  from_email: string
}
