import { kyselyOver, openForReading } from '../../database/connection.ts'
import { databasePathIn } from '../../database/database-path.ts'
import { Pop3Client } from './pop3.ts'
import {
  type MailboxJob,
  type MailboxRead,
  maxBytes,
  messageOfUse,
  type OpenedMailbox,
  storeRead
} from './read-message.ts'

/** Reads the messages of a POP3 server that were not read before. @throws MailboxUnavailable */
export async function readPop3Mailbox(job: MailboxJob, mailbox: OpenedMailbox): Promise<MailboxRead> {
  const known = await knownUids(job)
  const client = await Pop3Client.open(mailbox, mailbox.secret)
  const end = (): void => client.close()
  job.signal.addEventListener('abort', end)
  try {
    const there = await client.uids()
    for (const [number, uid] of there) {
      if (job.signal.aborted) return { isRead: false }
      if (known.has(uid)) continue
      const { raw, isWhole } = await client.retrieve(number, maxBytes)
      const { goesOn, isOurs } = await storeRead(job, mailbox, { pop3Uid: uid }, await messageOfUse(raw))
      if (!goesOn) return { isRead: false }
      if (mailbox.deletes_reports === 1 && isOurs && isWhole) await client.delete(number)
    }
    // Only now the server deletes what was marked.
    await client.quit()
    const uids = new Set(there.map(([, uid]) => uid))
    const gone = [...known].filter((uid) => !uids.has(uid))
    if (gone.length > 0) await job.client.run('mailboxReadings.forgetUids', { id: job.id, uids: gone })
    return { isRead: true }
  } finally {
    job.signal.removeEventListener('abort', end)
    client.close()
  }
}

async function knownUids({ id, dataDirectory }: MailboxJob): Promise<Set<string>> {
  const reader = kyselyOver(openForReading(databasePathIn(dataDirectory)))
  try {
    const rows = await reader.selectFrom('mailbox_uids').select('uid').where('mailbox_id', '=', id).execute()
    return new Set(rows.map(({ uid }) => uid))
  } finally {
    await reader.destroy()
  }
}
