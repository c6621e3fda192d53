import { openImapMailbox } from './imap.ts'
import { messagesSince } from './maildir.ts'
import type { MailboxPlan } from './plan.ts'
import { Pop3Client } from './pop3.ts'

/**
 * Opens a mailbox without changing anything in it, and counts its messages.
 * @param secret '' of a Maildir
 * @throws MailboxUnavailable
 */
export async function countMessages(mailbox: MailboxPlan, secret: string): Promise<number> {
  if (mailbox.protocol === 'maildir') return (await messagesSince(mailbox.folder, 0)).length
  if (mailbox.protocol === 'pop3') {
    const client = await Pop3Client.open(mailbox, secret)
    try {
      return (await client.uids()).length
    } finally {
      client.close()
    }
  }
  const client = await openImapMailbox(mailbox, secret, 'read-only')
  try {
    return client.mailbox === false ? 0 : client.mailbox.exists
  } finally {
    client.close()
  }
}
