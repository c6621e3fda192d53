import { ImapFlow } from 'imapflow'
import { messageOf } from '../../base/errors.ts'
import { type MailboxPlan, MailboxUnavailable } from './plan.ts'

/** In milliseconds. */
const timeouts = { connectionTimeout: 30_000, greetingTimeout: 30_000, socketTimeout: 120_000 }

/**
 * Connects, signs in and opens the folder.
 * @param access read-only leaves everything as it is, also whether messages were seen
 * @throws MailboxUnavailable
 */
export async function openImapMailbox(
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
