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

/** How a value of a content is shown to a person: HTML by its text. @param name of the member */
export function contentText(name: unknown, value: unknown): string | undefined {
  if (name !== 'html' || typeof value !== 'string') return undefined
  const { body } = new DOMParser().parseFromString(value, 'text/html')
  return body.textContent.replaceAll(/\s+/g, ' ').trim()
}

/** Whom a message comes from, where that is another than its list says. */
export interface Sender {
  from_name: string
  from_email: string
}
