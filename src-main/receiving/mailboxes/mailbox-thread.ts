import type { ImapFlow } from 'imapflow'
import { internalError } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { kyselyOver, openForReading } from '../../database/connection.ts'
import { databasePathIn } from '../../database/database-path.ts'
import type { JobOutcome } from '../../jobs/outcome.ts'
import { type RunningJob, runJobs } from '../../jobs/run-job.ts'
import { readReceived } from '../read-received.ts'
import { MailboxUnavailable, openMailbox, unavailable } from './imap.ts'
import type { MailboxData } from './mailbox-jobs.ts'

// Reads the new messages of one mailbox.

/** Messages are fetched up to this size, in bytes: reports are small, and name what they are about at their beginning. */
const maxBytes = 2 * 1024 * 1024
/** Messages fetched at once. */
const fetchedAtOnce = 50

runJobs(readMailbox, {
  onStorageFault: (fault) => ({ is: 'held', fault }),
  describe: (error) => internalError('Reading a mailbox', error)
})

async function readMailbox(job: RunningJob<MailboxData>): Promise<JobOutcome> {
  const reader = kyselyOver(openForReading(databasePathIn(job.dataDirectory)))
  const mailbox = await reader.selectFrom('mailboxes').selectAll().where('id', '=', job.id).executeTakeFirst()
  await reader.destroy()
  if (!mailbox) return { is: 'stopped' }
  const { name } = mailbox
  if (job.data.secret === null) return { is: 'held', fault: refusal('mailbox_no_secret', { name }) }
  try {
    const access = mailbox.deletes_reports === 1 ? 'read-write' : 'read-only'
    const client = await openMailbox(mailbox, job.data.secret, access)
    const end = (): void => client.close()
    job.signal.addEventListener('abort', end)
    try {
      return await readNew(job, client, mailbox)
    } finally {
      job.signal.removeEventListener('abort', end)
      client.close()
    }
  } catch (error) {
    if (job.signal.aborted) return { is: 'stopped' }
    if (!(error instanceof MailboxUnavailable)) throw error
    const rule = error.isSignIn ? 'mailbox_sign_in_refused' : 'mailbox_unreachable'
    return { is: 'failed', fault: refusal(rule, { name, words: error.message }) }
  }
}

interface Progress {
  deletes_reports: number
  uid_validity: string | null
  last_uid: number
}

async function readNew(
  { id, client: commands, signal }: RunningJob<MailboxData>,
  client: ImapFlow,
  { deletes_reports, uid_validity, last_uid }: Progress
): Promise<JobOutcome> {
  const folder = client.mailbox
  if (folder === false) throw new MailboxUnavailable('The folder is not open', false)
  const uidValidity = String(folder.uidValidity)
  let last = uid_validity === uidValidity ? last_uid : 0
  for (;;) {
    const uids = await newUids(client, last)
    if (uids.length === 0) return { is: 'finished' }
    for (const uid of uids) {
      if (signal.aborted) return { is: 'stopped' }
      const raw = await sourceOf(client, uid)
      const reading = raw && (await readReceived(raw))
      const isOfUse = reading !== null && (reading.report !== null || reading.unsubscribeTokens.length > 0)
      const message = raw && isOfUse ? { reading, raw } : null
      // Stored and committed before anything changes on the server.
      if (!(await commands.run('mailboxReadings.store', { id, uidValidity, uid, message }))) {
        return { is: 'stopped' }
      }
      last = uid
      if (message && deletes_reports === 1)
        await failingAsUnavailable(client.messageDelete([uid], { uid: true }))
    }
  }
}

/** Returns the next messages behind one, in their order. */
async function newUids(client: ImapFlow, last: number): Promise<number[]> {
  // A range that ends with * always holds the last message, also if it lies before its beginning.
  const found = await failingAsUnavailable(client.search({ uid: `${last + 1}:*` }, { uid: true }))
  const uids = found === false || found === undefined ? [] : found
  return uids
    .filter((uid) => uid > last)
    .sort((a, b) => a - b)
    .slice(0, fetchedAtOnce)
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
