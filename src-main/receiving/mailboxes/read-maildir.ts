import { deleteMessage, messagesSince, readBeginning } from './maildir.ts'
import {
  type MailboxJob,
  type MailboxRead,
  maxBytes,
  messageOfUse,
  type OpenedMailbox,
  storedEvery,
  storeRead
} from './read-message.ts'

/** Reads the messages of a Maildir that are new or were moved; those that were read before are known by what they hold. @throws MailboxUnavailable */
export async function readMaildir(job: MailboxJob, mailbox: OpenedMailbox): Promise<MailboxRead> {
  const messages = await messagesSince(mailbox.folder, mailbox.last_uid)
  for (const [index, { path, changedAt }] of messages.entries()) {
    if (job.signal.aborted) return { isRead: false }
    const found = await readBeginning(path, maxBytes)
    // Moved meanwhile: it has changed, and is read the next time.
    if (!found) continue
    const message = await messageOfUse(found.raw)
    // Letters are many: how far they were read is stored now and then.
    if (message === null && index % storedEvery !== 0 && index < messages.length - 1) continue
    const { goesOn, isOurs } = await storeRead(job, mailbox, { changedAt }, message)
    if (!goesOn) return { isRead: false }
    if (mailbox.deletes_reports === 1 && isOurs && found.isWhole) await deleteMessage(path)
  }
  return { isRead: true }
}
