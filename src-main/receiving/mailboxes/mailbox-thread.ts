import type { ImapFlow } from 'imapflow'
import { internalError } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { kyselyOver, openForReading } from '../../database/connection.ts'
import { databasePathIn } from '../../database/database-path.ts'
import type { JobOutcome } from '../../jobs/outcome.ts'
import { type RunningJob, runJobs } from '../../jobs/run-job.ts'
import { readReceived, type ReceivedReading } from '../read-received.ts'
import { MailboxUnavailable, openMailbox, unavailable } from './imap.ts'
import type { PolledData } from '../../jobs/polled-jobs.ts'

// Reads the new messages of one mailbox.

/** Messages are fetched up to this size, in bytes: reports are small, and name what they are about at their beginning. */
const maxBytes = 2 * 1024 * 1024
/** How far letters were read is stored once in so many. */
const storedEvery = 50

runJobs(readMailbox, {
  onStorageFault: (fault) => ({ is: 'held', fault }),
  describe: (error) => internalError('Reading a mailbox', error)
})

async function readMailbox(job: RunningJob<PolledData>): Promise<JobOutcome> {
  const begunAt = await job.client.run('mailboxReadings.begin', { id: job.id })
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
      return await readNew(job, client, { ...mailbox, begunAt })
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
  begunAt: number
  deletes_reports: number
  uid_validity: string | null
  last_uid: number
}

async function readNew(
  { id, client: commands, signal }: RunningJob<PolledData>,
  client: ImapFlow,
  { begunAt, deletes_reports, uid_validity, last_uid }: Progress
): Promise<JobOutcome> {
  const folder = client.mailbox
  if (folder === false) throw new MailboxUnavailable('The folder is not open', false)
  const uidValidity = String(folder.uidValidity)
  // Without UIDPLUS, what other programs have marked as deleted would go as well.
  const mayDelete = deletes_reports === 1 && client.capabilities.has('UIDPLUS')
  let last = uid_validity === uidValidity ? last_uid : 0
  for (;;) {
    const uids = await newUids(client, last)
    if (uids.length === 0) return { is: 'finished' }
    for (const [index, uid] of uids.entries()) {
      if (signal.aborted) return { is: 'stopped' }
      last = uid
      const { message, isWhole } = await messageAt(client, uid)
      // Letters are many: how far they were read is stored now and then.
      const isTime = index % storedEvery === 0 || index === uids.length - 1
      if (message === null && !isTime) continue
      // Stored and committed before anything changes on the server.
      const stored = { id, begunAt, uidValidity, uid, message }
      const { goesOn, isOurs } = await commands.run('mailboxReadings.store', stored)
      if (!goesOn) return { is: 'stopped' }
      if (mayDelete && isOurs && isWhole)
        await failingAsUnavailable(client.messageDelete([uid], { uid: true }))
    }
  }
}

interface FoundMessage {
  /** null = it is gone, or of no use. */
  message: { reading: ReceivedReading; raw: Buffer } | null
  /** False if only the beginning of a very long one was read. */
  isWhole: boolean
}

async function messageAt(client: ImapFlow, uid: number): Promise<FoundMessage> {
  const raw = await sourceOf(client, uid)
  if (raw === null) return { message: null, isWhole: false }
  const reading = await readReceived(raw)
  const isOfUse = reading.report !== null || reading.unsubscribeTokens.length > 0
  return { message: isOfUse ? { reading, raw } : null, isWhole: raw.length < maxBytes }
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
