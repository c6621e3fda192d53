import type { Content } from '../api/templates.ts'

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

/** Gives new contents their stored ids; contents that were edited meanwhile stay as they are. */
export function adoptIds(contents: DraftContent[], saved: readonly Content[]): void {
  if (contents.length !== saved.length) return
  for (const [index, content] of contents.entries()) {
    const id = saved[index]?.id
    if (content.id === undefined && id !== undefined) content.id = id
  }
}

/**
 * Formats a value of a content for users: HTML as text.
 * @param name of the member
 */
export function contentText(name: unknown, value: unknown): string | undefined {
  if (name !== 'html' || typeof value !== 'string') return undefined
  const { body } = new DOMParser().parseFromString(value, 'text/html')
  return body.textContent.replaceAll(/\s+/g, ' ').trim()
}

/** The sender of a message, if it differs from the list's. */
export interface Sender {
  from_name: string
  from_email: string
}
