import type { KeyObject } from 'node:crypto'
import { countedSlice, recordBounce, recordEvent } from '../api/statistics/counting.ts'
import { journalStates } from '../api/journal/schema.ts'
import { SubscriberTally } from '../api/subscriber-counts/tally.ts'
import { type BouncedMessage, messageIdOf, readBounceToken } from '../api/subscribers/bounce-tokens.ts'
import { unsubscribeByToken } from '../api/subscribers/commands.ts'
import { recipientNamed, type RemoteRecipient } from '../api/remote-lists/queries.ts'
import { recordRemoteBounce, recordRemoteComplaint } from '../api/remote-lists/removals.ts'
import type { subscriberWithList } from '../api/subscribers/queries.ts'
import type { SubscriberStatus } from '../api/subscribers/schema.ts'
import { readToken } from '../api/subscribers/tokens.ts'
import { type Command, type CommandContext, inBackground, recordOne } from '../database/command.ts'
import { signingSecret } from '../settings/queries.ts'
import { messagesSentTo, softBouncesSince } from './queries.ts'
import type { ReceivedReading } from './read-received.ts'
import type { BouncedRecipient } from './reports/read-report.ts'
import type { ReceivedKind } from './schema.ts'

const day = 24 * 60 * 60 * 1000

interface Received {
  organizationId: number
  reading: ReceivedReading
  raw: Uint8Array
  /** False for a mailbox, which may also hold letters: what is neither a report nor an unsubscribe is not stored. */
  storesOthers: boolean
}

/**
 * Stores a received message, and does what follows from it. One that was received before changes nothing.
 * @returns its id, and whether it is about a message that was sent from here; null if it is not stored
 */
export const acceptMessage: Command<Received, { id: number; isMatched: boolean } | null> = async (
  context,
  received
) => {
  const { organizationId, reading, raw } = received
  const known = await context.db
    .selectFrom('received_messages')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('digest', '=', reading.digest)
    .executeTakeFirst()
  if (known) return { id: known.id, isMatched: true }
  const secret = await signingSecret(context.db)
  const unsubscribe = await unsubscribeOf(context, organizationId, secret, reading)
  const kind: ReceivedKind = reading.report?.kind ?? (unsubscribe ? 'unsubscribe' : 'other')
  if (kind === 'other' && !received.storesOthers) return null
  const { id } = await context.db
    .insertInto('received_messages')
    .values({
      organization_id: organizationId,
      digest: reading.digest,
      kind,
      subject: reading.subject,
      received_at: context.now,
      raw: Buffer.from(raw)
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const sent = reading.report && (await sentMessageOf(context, received, secret))
  if (reading.report) await applyReport(context, received, id, sent)
  else if (unsubscribe) await applyUnsubscribe(context, organizationId, id, unsubscribe)
  recordOne(context, 'received_message', 'create', { organizationId }, id)
  return { id, isMatched: sent !== null || unsubscribe !== null }
}

/** Returns what an unsubscribe names; null for another message, or one of another organization. */
async function unsubscribeOf(
  { db }: CommandContext,
  organizationId: number,
  secret: KeyObject,
  { unsubscribeTokens }: ReceivedReading
) {
  const token = unsubscribeTokens.find((each) => readToken(secret, 'unsubscribe', each) !== null)
  const named = token === undefined ? null : readToken(secret, 'unsubscribe', token)
  if (token === undefined || !named) return null
  const subscriber = await recipientNamed(db, named)
  const isForeign = subscriber !== undefined && subscriber.organization_id !== organizationId
  return isForeign ? null : { token, ...named }
}

async function applyUnsubscribe(
  context: CommandContext,
  organizationId: number,
  receivedId: number,
  { token, sliceId, subscriberId }: { token: string; sliceId: number; subscriberId: number }
): Promise<void> {
  const subscriber = await recipientNamed(context.db, { subscriberId, sliceId })
  // A deleted subscriber is remembered as unsubscribed, in case that is undone.
  await unsubscribeByToken(context, { organizationId, token, ip: null })
  await storeRecipient(context, receivedId, {
    address: subscriber?.email.toLowerCase() ?? '',
    verdict: null,
    matched: subscriber ? { sliceId, subscriberId } : null
  })
}

/** Returns the message that a report is about; null if it is none of the organization's, or nothing proves which one it is. */
async function sentMessageOf(
  { db }: CommandContext,
  { organizationId, reading }: Received,
  secret: KeyObject
): Promise<BouncedMessage | null> {
  for (const token of reading.bounceTokens) {
    const named = readBounceToken(secret, token)
    if (named && (await recipientNamed(db, named))?.organization_id === organizationId) return named
  }
  const { returnedId } = reading
  if (returnedId === null) return null
  const recipients = reading.report?.recipients ?? []
  for (const recipient of recipients.slice(0, mostSearched)) {
    const address = typeof recipient === 'string' ? recipient : recipient.address
    for (const row of await messagesSentTo(db, organizationId, address)) {
      const message = { sliceId: row.stat_slice_id, subscriberId: row.subscriber_id, number: row.number }
      if (returnedId.startsWith(`${messageIdOf(secret, message)}@`)) return message
    }
  }
  return null
}

/** Recipients of a report whose messages are compared with the one that it returns. */
const mostSearched = 3

async function applyReport(
  context: CommandContext,
  { reading }: Received,
  receivedId: number,
  sent: BouncedMessage | null
): Promise<void> {
  const { report } = reading
  if (!report) return
  const subscriber = sent && (await recipientNamed(context.db, sent))
  const addresses = report.recipients.map((each) => (typeof each === 'string' ? each : each.address))
  // A message has one recipient. Where it was forwarded, the report names another address than it was sent to.
  const own = subscriber ? addresses.indexOf(subscriber.email.toLowerCase()) : -1
  const about = own >= 0 ? own : mayBeForwarded(report.recipients[0]) ? 0 : -1
  for (const [index, recipient] of report.recipients.entries()) {
    const matched = index === about ? sent : null
    const verdict = typeof recipient === 'string' ? null : recipient
    const recipientId = await storeRecipient(context, receivedId, {
      address: addresses[index] || (matched && subscriber ? subscriber.email.toLowerCase() : ''),
      verdict,
      matched
    })
    if (!matched || !subscriber) continue
    if (verdict) {
      if (await applyBounce(context, matched, subscriber, verdict)) await markAsCause(context, recipientId)
    } else await applyComplaint(context, matched, subscriber)
  }
}

/** True if a recipient with another address than the message was sent to may be the one that it was forwarded to, and no address from a letter. */
function mayBeForwarded(recipient: BouncedRecipient | string | undefined): boolean {
  return typeof recipient === 'string' || recipient?.isFromField === true || recipient?.address === ''
}

interface RecipientToStore {
  address: string
  /** null = it is no bounce. */
  verdict: BouncedRecipient | null
  matched: { sliceId: number; subscriberId: number } | null
}

async function storeRecipient(
  { db, now }: CommandContext,
  receivedId: number,
  { address, verdict, matched }: RecipientToStore
): Promise<number> {
  const { id } = await db
    .insertInto('received_recipients')
    .values({
      received_message_id: receivedId,
      address,
      class: verdict?.class ?? null,
      reason: verdict?.reason ?? null,
      status: verdict?.status ?? null,
      words: verdict?.words ?? '',
      is_delayed: Number(verdict?.isDelayed ?? false),
      stat_slice_id: matched?.sliceId ?? null,
      subscriber_id: matched?.subscriberId ?? null,
      received_at: now
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Remembers that a recipient's bounce set the subscriber to bounced, so that another judgement can take that back. */
async function markAsCause({ db }: CommandContext, id: number): Promise<void> {
  await db.updateTable('received_recipients').set({ updated_status: 1 }).where('id', '=', id).execute()
}

type Recipient = NonNullable<Awaited<ReturnType<typeof subscriberWithList>>>
type AnyRecipient = NonNullable<Awaited<ReturnType<typeof recipientNamed>>>

function isRemote(recipient: AnyRecipient): recipient is RemoteRecipient {
  return 'seq_id' in recipient
}

/** @returns true if it set the subscriber to bounced */
async function applyBounce(
  context: CommandContext,
  sent: BouncedMessage,
  subscriber: AnyRecipient,
  verdict: BouncedRecipient
): Promise<boolean> {
  const { sliceId } = sent
  // The server goes on trying, and reports how that ends.
  if (verdict.isDelayed) return false
  if (isRemote(subscriber)) {
    const bounce = { class: verdict.class, code: verdict.status || null }
    await recordRemoteBounce(context, subscriber, {
      sliceId,
      wasAccepted: await isAccepted(context, sent),
      ...bounce
    })
    return false
  }
  const ends =
    verdict.class === 'hard' || (verdict.class === 'soft' && (await isOneTooMany(context, subscriber)))
  const slice = await countedSlice(context.db, sliceId)
  const updatesStatus =
    ends && (await changeStatus(context, subscriber, 'bounced', slice?.campaign_id ?? null))
  if (!slice) return updatesStatus
  const bounce = { class: verdict.class, code: verdict.status || null, updatesStatus }
  const wasAccepted = await isAccepted(context, sent)
  await recordBounce(context, { sliceId, subscriber, wasAccepted, ...bounce }, subscriber.time_zone_name)
  return updatesStatus
}

/** True if a server took the message over; one whose delivery is uncertain, or that waits for a retry, is not counted as delivered. */
async function isAccepted(
  { db }: CommandContext,
  { sliceId, subscriberId, number }: BouncedMessage
): Promise<boolean> {
  const row = await db
    .selectFrom('message_journal')
    .select('state')
    .where('stat_slice_id', '=', sliceId)
    .where('subscriber_id', '=', subscriberId)
    .where('number', '=', number)
    .executeTakeFirst()
  return row === undefined || row.state === journalStates.accepted
}

/** True if a subscriber has had as many soft bounces as the organization allows, within its days. */
async function isOneTooMany(context: CommandContext, subscriber: Recipient): Promise<boolean> {
  const { soft_bounces: most, soft_bounce_days: days } = await context.db
    .selectFrom('organizations')
    .select(['soft_bounces', 'soft_bounce_days'])
    .where('id', '=', subscriber.organization_id)
    .executeTakeFirstOrThrow()
  if (most === 0) return false
  return (await softBouncesSince(context.db, subscriber.id, context.now - days * day)) >= most
}

async function applyComplaint(
  context: CommandContext,
  { sliceId }: BouncedMessage,
  subscriber: AnyRecipient
): Promise<void> {
  if (isRemote(subscriber)) return recordRemoteComplaint(context, subscriber, sliceId)
  const slice = await countedSlice(context.db, sliceId)
  const updatesStatus = await changeStatus(context, subscriber, 'scomp', slice?.campaign_id ?? null)
  if (!slice) return
  const complaint = { type: 'scomp' as const, sliceId, subscriber, ip: null, updatesStatus }
  await recordEvent(context, complaint, subscriber.time_zone_name)
}

/** @returns false if the subscriber gets no messages anyway, for a reason that weighs more */
async function changeStatus(
  context: CommandContext,
  { id, status: before, mailing_list_id: mailingListId, organization_id: organizationId }: Recipient,
  status: SubscriberStatus,
  campaignId: number | null
): Promise<boolean> {
  // A complaint outweighs all else; who unsubscribed stays unsubscribed after a bounce.
  const outweighs = status === 'scomp' ? before !== 'scomp' : before === 'active'
  if (!outweighs) return false
  await context.db
    .updateTable('subscribers')
    .set({ status, updated_at: context.now })
    .where('id', '=', id)
    .execute()
  const tally = new SubscriberTally(mailingListId)
  tally.moved(before, status)
  await tally.save(context)
  recordOne(context, 'subscriber', 'update', { organizationId, mailingListId }, id, {
    status: [before, status],
    ...(campaignId !== null && { campaign_id: campaignId })
  })
  return true
}

/** Messages whose text is deleted at once. */
const deletedAtOnce = 100

/**
 * Deletes the texts of some messages that were received before a time, in UNIX milliseconds. What they said stays.
 * @returns true if there may be more
 */
const deleteOldTexts = inBackground<{ before: number }, boolean>(async ({ db }, { before }) => {
  const { numUpdatedRows } = await db
    .updateTable('received_messages')
    .set({ raw: null })
    .where('id', 'in', (select) =>
      select
        .selectFrom('received_messages')
        .select('id')
        .where('received_at', '<', before)
        .where('raw', 'is not', null)
        .limit(deletedAtOnce)
    )
    .executeTakeFirst()
  return numUpdatedRows === BigInt(deletedAtOnce)
})

export const receivingCommands = { accept: acceptMessage, deleteOldTexts }

declare module '../database/command.ts' {
  interface CommandRegistry {
    receiving: typeof receivingCommands
  }
}
