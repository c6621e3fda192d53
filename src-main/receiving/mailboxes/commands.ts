import { storeRefusal } from '../../base/stored-refusal.ts'
import type { Command, CommandContext } from '../../database/command.ts'
import type { JobEnd } from '../../jobs/outcome.ts'
import { acceptMessage } from '../commands.ts'
import type { ReceivedReading } from '../read-received.ts'

/** The time between two readings of a mailbox, and the longer one after a failed reading; in milliseconds. */
const [interval, intervalAfterFault] = [5 * 60_000, 15 * 60_000]

/** Stores that reading a mailbox begins. @returns when, in UNIX milliseconds */
const beginReading: Command<{ id: number }, number> = async ({ db, now }, { id }) => {
  await db.updateTable('mailboxes').set({ begun_at: now }).where('id', '=', id).execute()
  return now
}

/** How far a mailbox was read: by IMAP, POP3, or as a Maildir, by when its messages changed. */
export type ReadPosition = { uidValidity: string; uid: number } | { pop3Uid: string } | { changedAt: number }

interface Read {
  id: number
  /** When reading began: a later change of the mailbox makes it void. */
  begunAt: number
  position: ReadPosition
  /** null = it says nothing to Listwright, and is not stored: a mailbox may also hold letters. */
  message: { reading: ReceivedReading; raw: Uint8Array } | null
}

/**
 * Stores a message of a mailbox together with how far the mailbox was read, so that each is read once.
 * @returns whether to go on, which ends when the mailbox is changed, and whether the message is about one that was sent from here
 */
const storeMessage: Command<Read, { goesOn: boolean; isOurs: boolean }> = async (
  context,
  { id, begunAt, position, message }
) => {
  const mailbox = await context.db
    .selectFrom('mailboxes')
    .select('organization_id')
    .where('id', '=', id)
    .where('is_enabled', '=', 1)
    .where('updated_at', '<=', begunAt)
    .executeTakeFirst()
  if (!mailbox) return { goesOn: false, isOurs: false }
  const { organization_id: organizationId } = mailbox
  const stored =
    message && (await acceptMessage(context, { organizationId, ...message, storesOthers: false }))
  await storePosition(context, id, position)
  return { goesOn: true, isOurs: stored?.isMatched ?? false }
}

async function storePosition({ db }: CommandContext, id: number, position: ReadPosition): Promise<void> {
  if ('pop3Uid' in position) {
    await db.replaceInto('mailbox_uids').values({ mailbox_id: id, uid: position.pop3Uid }).execute()
    return
  }
  const columns =
    'uid' in position
      ? { uid_validity: position.uidValidity, last_uid: position.uid }
      : { last_uid: position.changedAt }
  await db.updateTable('mailboxes').set(columns).where('id', '=', id).execute()
}

/** Forgets messages that a POP3 server does not have any more. */
const forgetUids: Command<{ id: number; uids: string[] }, void> = async ({ db }, { id, uids }) => {
  for (const uid of uids) {
    await db.deleteFrom('mailbox_uids').where('mailbox_id', '=', id).where('uid', '=', uid).execute()
  }
}

/** Stores how reading a mailbox ended, and when it is read again. */
const endReading: Command<{ id: number; end: JobEnd }, void> = async (context, { id, end }) => {
  const isRead = end.is === 'finished'
  await context.db
    .updateTable('mailboxes')
    .set({
      ...(isRead && { checked_at: context.now }),
      next_at: context.now + (isRead ? interval : intervalAfterFault),
      fault: isRead ? null : storeRefusal(end.fault)
    })
    .where('id', '=', id)
    // One that was changed meanwhile is read again at once.
    .whereRef('updated_at', '<=', 'begun_at')
    .execute()
  await announce(context, id)
}

async function announce(context: CommandContext, id: number): Promise<void> {
  const row = await context.db
    .selectFrom('mailboxes')
    .select('organization_id')
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) return
  const owner = { organizationId: row.organization_id, mailingListId: null }
  context.record({ entity: 'mailbox', action: 'update', ...owner, firstId: id, lastId: id, isUnlogged: true })
}

export const mailboxReadingCommands = {
  begin: beginReading,
  store: storeMessage,
  forgetUids,
  end: endReading
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    mailboxReadings: typeof mailboxReadingCommands
  }
}
