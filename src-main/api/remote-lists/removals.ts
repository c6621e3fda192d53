import { randomBytes } from 'node:crypto'
import type { OperandValueExpressionOrList } from 'kysely'
import type { CommandContext } from '../../database/command.ts'
import type { Schema } from '../../database/schema.ts'
import {
  countedSlice,
  recordBounce,
  type RecipientBounce,
  recordEvent,
  takeBackUnsubscribes
} from '../statistics/counting.ts'
import { emailKey } from '../subscribers/rules.ts'
import type { RemoteRecipient } from './queries.ts'
import type { BounceType, RemovalReason } from './tables.ts'

interface Removal {
  reason: RemovalReason
  bounceType?: BounceType
  bounceCode?: string | null
  /** UNIX milliseconds; left out = now. */
  at?: number
}

/** Stores what a recipient's own database has to know of, in the order in which it became known. */
export async function recordRemoval(
  context: CommandContext,
  recipient: Pick<
    RemoteRecipient,
    'mailing_list_id' | 'campaign_id' | 'seq_id' | 'email' | 'distinct_id' | 'organization_id'
  >,
  { reason, bounceType, bounceCode, at = context.now }: Removal
): Promise<void> {
  const { mailing_list_id, campaign_id, seq_id, email, distinct_id, organization_id } = recipient
  await context.db
    .insertInto('remote_removals')
    .values({
      ...{ mailing_list_id, campaign_id, seq_id, email, distinct_id, reason },
      email_key: emailKey(email),
      bounce_type: bounceType ?? null,
      bounce_code: bounceCode ?? null,
      occurred_at: at,
      recorded_at: context.now,
      event_id: eventIdOf(context.clock)
    })
    .execute()
  context.record({
    ...{ entity: 'write_back', action: 'update', isUnlogged: true },
    ...{ organizationId: organization_id, mailingListId: mailing_list_id, firstId: 0, lastId: 0 }
  })
}

/** A UUID of version 7 (RFC 9562), whose order is that of time. @param clock UNIX milliseconds */
function eventIdOf(clock: number): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(clock, 0, 6)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Counts an unsubscribe of a recipient, and stores it for their database, unless one by the same message waits there already. */
export async function recordRemoteUnsubscribe(
  context: CommandContext,
  recipient: RemoteRecipient,
  { sliceId, ip, at }: { sliceId: number; ip: string | null; at: number }
): Promise<void> {
  if (await countedSlice(context.db, sliceId)) {
    const unsubscribe = { type: 'unsub' as const, sliceId, subscriber: recipient, ip, at }
    await recordEvent(context, unsubscribe, recipient.time_zone_name)
  }
  await recordRemovalOnce(context, recipient, { reason: 'unsubscribe', at })
}

/** Has the table of lists tried at once, whatever came of it before. */
export async function tryTableAnew(
  { db }: Pick<CommandContext, 'db'>,
  mailingListIds: OperandValueExpressionOrList<Schema, 'write_backs', 'mailing_list_id'>
): Promise<void> {
  await db
    .updateTable('write_backs')
    .set({ checked_at: null, fault: null, failures: 0, next_at: 0 })
    .where('mailing_list_id', 'in', mailingListIds)
    .execute()
}

/**
 * Marks the removals of lists as not written: they are written to another database or table, which is tried at once, and their addresses
 * get no messages until then.
 */
export async function markRemovalsUnwritten(
  { db }: CommandContext,
  mailingListIds: OperandValueExpressionOrList<Schema, 'remote_removals' | 'write_backs', 'mailing_list_id'>
): Promise<void> {
  await tryTableAnew({ db }, mailingListIds)
  await db
    .updateTable('remote_removals')
    .set({ written_at: null })
    .where('mailing_list_id', 'in', mailingListIds)
    .where('written_at', 'is not', null)
    .execute()
}

async function recordRemovalOnce(
  context: CommandContext,
  recipient: RemoteRecipient,
  removal: Removal
): Promise<void> {
  const waiting = await removalsOf(context, recipient, removal.reason).select('id').executeTakeFirst()
  if (!waiting) await recordRemoval(context, recipient, removal)
}

/** The removals of a recipient for a reason that were not written back yet. */
function removalsOf({ db }: CommandContext, recipient: RemoteRecipient, reason: RemovalReason) {
  return db
    .selectFrom('remote_removals')
    .where('mailing_list_id', '=', recipient.mailing_list_id)
    .where('email_key', '=', emailKey(recipient.email))
    .where('campaign_id', '=', recipient.campaign_id)
    .where('seq_id', '=', recipient.seq_id)
    .where('reason', '=', reason)
    .where('written_at', 'is', null)
}

/**
 * Undoes an unsubscribe of a recipient, as if it had not happened.
 * @param at when that was asked for, in UNIX milliseconds; it works `within` so many milliseconds
 * @returns false if it is too late, or was written back already
 */
export async function undoRemoteUnsubscribe(
  context: CommandContext,
  recipient: RemoteRecipient,
  { sliceId, at, within }: { sliceId: number; at: number; within: number }
): Promise<boolean> {
  const { id: subscriberId, time_zone_name } = recipient
  const waiting = removalsOf(context, recipient, 'unsubscribe')
    .select('id')
    .where('occurred_at', '>=', at - within)
  const undone = await context.db
    .deleteFrom('remote_removals')
    .where('id', 'in', waiting)
    .returning('occurred_at')
    .executeTakeFirst()
  if (!undone) return false
  const first = await context.db
    .selectFrom('stat_events')
    .select((select) => select.fn.min<number | null>('id').as('id'))
    .where('stat_slice_id', '=', sliceId)
    .where('type', '=', 'unsub')
    .where('subscriber_id', '=', subscriberId)
    .where('occurred_at', '>=', undone.occurred_at)
    .executeTakeFirst()
  if (first?.id != null) {
    const counted = { sliceId, subscriberId, firstEventId: first.id, updatedStatus: false }
    await takeBackUnsubscribes(context, counted, time_zone_name)
  }
  return true
}

export async function recordRemoteComplaint(
  context: CommandContext,
  recipient: RemoteRecipient,
  sliceId: number
): Promise<void> {
  if (await countedSlice(context.db, sliceId)) {
    const complaint = { type: 'scomp' as const, sliceId, subscriber: recipient, ip: null }
    await recordEvent(context, complaint, recipient.time_zone_name)
  }
  await recordRemovalOnce(context, recipient, { reason: 'complaint' })
}

export async function recordRemoteBounce(
  context: CommandContext,
  recipient: RemoteRecipient,
  bounce: Pick<RecipientBounce, 'sliceId' | 'class' | 'code' | 'wasAccepted'>
): Promise<void> {
  if (await countedSlice(context.db, bounce.sliceId)) {
    const counted = { ...bounce, subscriber: recipient, updatesStatus: false }
    await recordBounce(context, counted, recipient.time_zone_name)
  }
  await recordRemoval(context, recipient, {
    ...{ reason: 'bounce', bounceType: bounce.class, bounceCode: bounce.code }
  })
}

/** Stores that no server took a message over; the caller counts it. */
export async function recordLocalBounce(
  context: CommandContext,
  recipient: RemoteRecipient,
  { sliceId, class: bounceType, code }: { sliceId: number; class: BounceType; code: string }
): Promise<void> {
  await context.db
    .insertInto('stat_events')
    .values({
      ...{ stat_slice_id: sliceId, type: 'bounce', subscriber_id: recipient.id, email: recipient.email },
      ...{ is_unique: 1, bounce_code: code, occurred_at: context.now }
    })
    .execute()
  await recordRemoval(context, recipient, { reason: 'bounce', bounceType, bounceCode: code })
}
