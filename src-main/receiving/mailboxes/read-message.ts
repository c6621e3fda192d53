import type { MailboxRow } from '../../api/mailboxes/queries.ts'
import type { PolledData } from '../../jobs/polled-jobs.ts'
import type { RunningJob } from '../../jobs/run-job.ts'
import { readReceived, type ReceivedReading } from '../read-received.ts'
import type { ReadPosition } from './commands.ts'

/** Messages are read up to this size, in bytes: reports are small, and name what they are about at their beginning. */
export const maxBytes = 2 * 1024 * 1024

/** How far letters were read is stored once in so many. */
export const storedEvery = 50

export type MailboxJob = RunningJob<PolledData>

/** A mailbox that is being read. */
export interface OpenedMailbox extends MailboxRow {
  begunAt: number
  /** '' of a Maildir. */
  secret: string
}

/** False if reading was stopped: it begins again. */
export interface MailboxRead {
  isRead: boolean
}

/** A message that a report or an unsubscribe may be. */
export interface MessageOfUse {
  reading: ReceivedReading
  raw: Buffer
}

/** @returns null for what is of no use */
export async function messageOfUse(raw: Buffer): Promise<MessageOfUse | null> {
  const reading = await readReceived(raw)
  const isOfUse = reading.report !== null || reading.unsubscribeTokens.length > 0
  return isOfUse ? { reading, raw } : null
}

/** Stores a message together with how far the mailbox was read; only then may anything change there. */
export function storeRead(
  { id, client }: MailboxJob,
  { begunAt }: OpenedMailbox,
  position: ReadPosition,
  message: MessageOfUse | null
): Promise<{ goesOn: boolean; isOurs: boolean }> {
  return client.run('mailboxReadings.store', { id, begunAt, position, message })
}
