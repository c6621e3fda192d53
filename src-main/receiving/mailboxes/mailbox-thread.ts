import { internalError } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { kyselyOver, openForReading } from '../../database/connection.ts'
import { databasePathIn } from '../../database/database-path.ts'
import type { JobOutcome } from '../../jobs/outcome.ts'
import { runJobs } from '../../jobs/run-job.ts'
import { MailboxUnavailable } from './plan.ts'
import { readImapMailbox } from './read-imap.ts'
import { readMaildir } from './read-maildir.ts'
import type { MailboxJob } from './read-message.ts'
import { readPop3Mailbox } from './read-pop3.ts'

// Reads the new messages of one mailbox.

runJobs(readMailbox, {
  onStorageFault: (fault) => ({ is: 'held', fault }),
  describe: (error) => internalError('Reading a mailbox', error)
})

const readers = { imap: readImapMailbox, pop3: readPop3Mailbox, maildir: readMaildir } as const

async function readMailbox(job: MailboxJob): Promise<JobOutcome> {
  const begunAt = await job.client.run('mailboxReadings.begin', { id: job.id })
  const reader = kyselyOver(openForReading(databasePathIn(job.dataDirectory)))
  const mailbox = await reader.selectFrom('mailboxes').selectAll().where('id', '=', job.id).executeTakeFirst()
  await reader.destroy()
  if (!mailbox) return { is: 'stopped' }
  const { name, protocol } = mailbox
  if (protocol !== 'maildir' && job.data.secret === null) {
    return { is: 'held', fault: refusal('mailbox_no_secret', { name }) }
  }
  const opened = { ...mailbox, begunAt, secret: job.data.secret ?? '' }
  try {
    const { isRead } = await readers[protocol](job, opened)
    return isRead ? { is: 'finished' } : { is: 'stopped' }
  } catch (error) {
    if (job.signal.aborted) return { is: 'stopped' }
    if (!(error instanceof MailboxUnavailable)) throw error
    if (protocol === 'maildir') return { is: 'failed', fault: refusal('said', { text: error.message }) }
    const rule = error.isSignIn ? 'mailbox_sign_in_refused' : 'mailbox_unreachable'
    return { is: 'failed', fault: refusal(rule, { name, words: error.message }) }
  }
}
