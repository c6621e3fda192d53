import type { MailboxRow } from '../../api/mailboxes/queries.ts'

/** A mailbox as a connection needs it. */
export type MailboxPlan = Pick<
  MailboxRow,
  'id' | 'name' | 'protocol' | 'host' | 'port' | 'security' | 'authentication' | 'username' | 'folder'
>

/** Thrown where a mailbox cannot be read: the words are those of the server or the system. */
export class MailboxUnavailable extends Error {
  /** True if the server refused the password or token. */
  readonly isSignIn: boolean

  constructor(words: string, isSignIn: boolean) {
    super(words)
    this.isSignIn = isSignIn
  }
}
