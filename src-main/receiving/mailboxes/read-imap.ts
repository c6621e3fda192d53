import type { ImapFlow } from 'imapflow'
import { openImapMailbox, unavailable } from './imap.ts'
import { MailboxUnavailable } from './plan.ts'
import {
  type MailboxJob,
  type MailboxRead,
  maxBytes,
  messageOfUse,
  type MessageOfUse,
  type OpenedMailbox,
  storedEvery,
  storeRead
} from './read-message.ts'

/** Reads the new messages of a folder of an IMAP server. @throws MailboxUnavailable */
export async function readImapMailbox(job: MailboxJob, mailbox: OpenedMailbox): Promise<MailboxRead> {
  const access = mailbox.deletes_reports === 1 ? 'read-write' : 'read-only'
  const client = await openImapMailbox(mailbox, mailbox.secret, access)
  const end = (): void => client.close()
  job.signal.addEventListener('abort', end)
  try {
    return await readNew(job, client, mailbox)
  } finally {
    job.signal.removeEventListener('abort', end)
    client.close()
  }
}

async function readNew(job: MailboxJob, client: ImapFlow, mailbox: OpenedMailbox): Promise<MailboxRead> {
  const folder = client.mailbox
  if (folder === false) throw new MailboxUnavailable('The folder is not open', false)
  const uidValidity = String(folder.uidValidity)
  // Without UIDPLUS, what other programs have marked as deleted would go as well.
  const mayDelete = mailbox.deletes_reports === 1 && client.capabilities.has('UIDPLUS')
  let last = mailbox.uid_validity === uidValidity ? mailbox.last_uid : 0
  for (;;) {
    const uids = await newUids(client, last)
    if (uids.length === 0) return { isRead: true }
    for (const [index, uid] of uids.entries()) {
      if (job.signal.aborted) return { isRead: false }
      last = uid
      const { message, isWhole } = await messageAt(client, uid)
      // Letters are many: how far they were read is stored now and then.
      const isTime = index % storedEvery === 0 || index === uids.length - 1
      if (message === null && !isTime) continue
      const { goesOn, isOurs } = await storeRead(job, mailbox, { uidValidity, uid }, message)
      if (!goesOn) return { isRead: false }
      if (mayDelete && isOurs && isWhole)
        await failingAsUnavailable(client.messageDelete([uid], { uid: true }))
    }
  }
}

async function messageAt(
  client: ImapFlow,
  uid: number
): Promise<{ message: MessageOfUse | null; isWhole: boolean }> {
  const raw = await sourceOf(client, uid)
  if (raw === null) return { message: null, isWhole: false }
  return { message: await messageOfUse(raw), isWhole: raw.length < maxBytes }
}

/** Returns the messages behind one, in their order. */
async function newUids(client: ImapFlow, last: number): Promise<number[]> {
  const found = await failingAsUnavailable(client.search({ uid: `${last + 1}:*` }, { uid: true }))
  if (!Array.isArray(found)) throw new MailboxUnavailable('The server refuses to search the folder', false)
  // A range that ends with * always holds the last message, also if it lies before its beginning.
  return found.filter((uid) => uid > last).sort((a, b) => a - b)
}

/** @returns null if the message is gone */
async function sourceOf(client: ImapFlow, uid: number): Promise<Buffer | null> {
  const message = await failingAsUnavailable(
    client.fetchOne(String(uid), { source: { maxLength: maxBytes } }, { uid: true })
  )
  return message === false || message === undefined ? null : (message.source ?? null)
}

async function failingAsUnavailable<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work
  } catch (error) {
    throw unavailable(error)
  }
}
