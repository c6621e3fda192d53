import { mailingListById, type MailingListRow } from '../api/mailing-lists/queries.ts'
import { organizationById } from '../api/organizations/queries.ts'
import type { StoredRefusal } from '../base/stored-refusal.ts'
import type { CommandContext } from '../database/command.ts'
import { Journal, type ResolvedMessage } from './journal.ts'
import { takeQuota } from './smtp/quota.ts'
import type { RetrySchedule } from './smtp/retry-schedule.ts'
import type { Advanced, ClaimInput } from './smtp/smtp-work.ts'

// What the commands of autoresponders and of forms share: both send what waits in a queue.

/** The progress of a queue; columns that are left out stay unchanged. */
export interface QueueProgress {
  position?: number
  waits_until?: number | null
  failures?: number
  error_message?: StoredRefusal | null
}

/** Returns a list with its organization's time zone; null if the list was deleted. */
export async function listInUse(
  { db }: CommandContext,
  mailingListId: number
): Promise<{ list: MailingListRow; timeZone: string } | null> {
  const owner = await db
    .selectFrom('mailing_lists')
    .select('organization_id')
    .where('id', '=', mailingListId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!owner) return null
  const list = await mailingListById(db, owner.organization_id, mailingListId)
  const { time_zone_name: timeZone } = await organizationById(db, owner.organization_id)
  return { list, timeZone }
}

/** Returns the statistics id of the messages of an autoresponder or a form, which the first message makes. */
export async function queueSliceOf(
  { db }: CommandContext,
  owner: 'autoresponder_id' | 'web_form_id',
  id: number
): Promise<number> {
  const found = await db
    .selectFrom('stats')
    .innerJoin('stat_slices', 'stat_slices.stat_id', 'stats.id')
    .select('stat_slices.id')
    .where(owner, '=', id)
    .executeTakeFirst()
  if (found) return found.id
  const stat = await db
    .insertInto('stats')
    .values({ [owner]: id, keeps_recipients: 0 })
    .returning('id')
    .executeTakeFirstOrThrow()
  const slice = await db
    .insertInto('stat_slices')
    .values({ stat_id: stat.id, content_id: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  return slice.id
}

export interface AdvanceInput<Step> {
  resolved: ResolvedMessage[]
  claim: ClaimInput<Step> | null
  schedule: RetrySchedule
}

/**
 * Stores what became of messages, and which are handed over next; see deliveries.advance.
 * @param timeZone null if nothing of the queue is to be sent any more
 * @param leaveQueue takes what was claimed out of the queue
 * @returns the subscribers whose messages were accepted, besides the answer
 */
export async function advanceQueue<Step>(
  context: CommandContext,
  { resolved, claim, schedule }: AdvanceInput<Step>,
  timeZone: string | null,
  leaveQueue: (step: Step) => Promise<void>
): Promise<{ advanced: Advanced; accepted: number[] }> {
  const journal = new Journal(context, { keepsRecipients: false })
  const accepted = journal.resolve(resolved, schedule)
  const goesOn = timeZone !== null
  let advanced: Advanced = { goesOn, isClaimed: false, quota: { room: Infinity, until: 0 } }
  if (goesOn && claim) {
    const going = claim.messages.filter(({ dueAt }) => dueAt === null).length
    const quota = await takeQuota(context, claim.smtpServerId, going)
    advanced = { goesOn, isClaimed: going <= quota.room, quota }
    if (advanced.isClaimed) {
      journal.claim(claim.messages, claim.smtpServerId)
      if (claim.step) await leaveQueue(claim.step)
    }
  }
  await journal.save(timeZone ?? 'UTC')
  return { advanced, accepted }
}
