import { storeRefusal } from '../../base/stored-refusal.ts'
import type { Command, CommandContext } from '../../database/command.ts'
import type { JobEnd } from '../../jobs/outcome.ts'
import { acceptMessage } from '../commands.ts'
import type { ReceivedReading } from '../read-received.ts'

/** How often a mailbox is read, in milliseconds, and how soon again when it could not be. */
const [interval, intervalAfterFault] = [5 * 60_000, 15 * 60_000]

interface Read {
  id: number
  /** The UIDVALIDITY of the folder. */
  uidValidity: string
  uid: number
  /** null = it says nothing to Listwright, and is not stored: a mailbox may also hold letters. */
  message: { reading: ReceivedReading; raw: Uint8Array } | null
}

/**
 * Stores a message of a mailbox together with how far the mailbox was read, so that each is read once.
 * @returns false if the mailbox is gone or was changed
 */
const storeMessage: Command<Read, boolean> = async (context, { id, uidValidity, uid, message }) => {
  const mailbox = await context.db
    .selectFrom('mailboxes')
    .select('organization_id')
    .where('id', '=', id)
    .where('is_enabled', '=', 1)
    .executeTakeFirst()
  if (!mailbox) return false
  if (message)
    await acceptMessage(context, {
      organizationId: mailbox.organization_id,
      ...message,
      storesOthers: false
    })
  await context.db
    .updateTable('mailboxes')
    .set({ uid_validity: uidValidity, last_uid: uid })
    .where('id', '=', id)
    .execute()
  return true
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

export const mailboxReadingCommands = { store: storeMessage, end: endReading }

declare module '../../database/command.ts' {
  interface CommandRegistry {
    mailboxReadings: typeof mailboxReadingCommands
  }
}
