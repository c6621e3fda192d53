import { ImapFlow } from 'imapflow'
import type { MailboxRow } from '../../api/mailboxes/queries.ts'
import { messageOf } from '../../base/errors.ts'

/** A mailbox as a connection needs it. */
export type MailboxPlan = Pick<
  MailboxRow,
  'id' | 'name' | 'host' | 'port' | 'security' | 'authentication' | 'username' | 'folder'
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

/** In milliseconds. */
const timeouts = { connectionTimeout: 30_000, greetingTimeout: 30_000, socketTimeout: 120_000 }

/**
 * Connects, signs in and opens the folder.
 * @param access read-only leaves everything as it is, also whether messages were seen
 * @throws MailboxUnavailable
 */
export async function openMailbox(
  { host, port, security, authentication, username, folder }: MailboxPlan,
  secret: string,
  access: 'read-only' | 'read-write'
): Promise<ImapFlow> {
  const client = new ImapFlow({
    ...{ ...timeouts, host, port, logger: false },
    secure: security === 'tls',
    doSTARTTLS: security === 'starttls',
    auth:
      authentication === 'xoauth2'
        ? { user: username, accessToken: secret }
        : { user: username, pass: secret }
  })
  // What is wrong with the connection also rejects the command that is under way.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.mailboxOpen(folder, { readOnly: access === 'read-only' })
    return client
  } catch (error) {
    client.close()
    throw unavailable(error)
  }
}

/** Returns an error of the library in the words of the server. */
export function unavailable(error: unknown): MailboxUnavailable {
  const { responseText, authenticationFailed } = error as {
    responseText?: string
    authenticationFailed?: boolean
  }
  return new MailboxUnavailable(
    (responseText ?? messageOf(error)).slice(0, 500),
    authenticationFailed === true
  )
}
