import type { KeyObject } from 'node:crypto'
import type { Command, CommandContext } from '../database/command.ts'
import { queueReactions } from '../api/autoresponders/reactions.ts'
import { countedSlice, happened, recordEvent } from '../api/statistics/counting.ts'
import { detectBurst, recordVisit } from '../api/statistics/machines.ts'
import { recipientNamed } from '../api/remote-lists/queries.ts'
import { signingSecret } from '../settings/queries.ts'
import { readToken, type TokenPurpose } from '../api/subscribers/tokens.ts'

/** How a link was followed. */
export interface Visit {
  ip: string | null
  /** True if a program names itself as one. */
  isMachine: boolean
  /** UNIX milliseconds; left out = now. */
  at?: number
}

interface Tracked extends Visit {
  token: string
}

const trackOpen: Command<Tracked, void> = async (context, { token, ...visit }) => {
  const recipient = await recipientOf(context, await signingSecret(context.db), 'open', token)
  if (recipient) await countOpen(context, recipient, visit)
}

/** Counts an open, and queues what autoresponders send after the recipient's first. */
export async function countOpen(
  context: CommandContext,
  { sliceId, subscriber, timeZone, campaignId, autoresponderId }: TrackedRecipient,
  visit: Visit
): Promise<void> {
  const isFirst = await recordEvent(context, { type: 'open', sliceId, subscriber, ...visit }, timeZone)
  if (!isFirst) return
  const waiting = await context.db
    .selectFrom('autoresponders')
    .selectAll()
    .where((where) =>
      where.or([
        where.and({ trigger: 'campaign_open', trigger_campaign_to_open_id: campaignId ?? 0 }),
        where.and({ trigger: 'autoresponder_open', trigger_autoresponder_to_open_id: autoresponderId ?? 0 })
      ])
    )
    .orderBy('id')
    .execute()
  await queueReactions(context, waiting, { subscriberId: subscriber.id, timeZone })
}

const trackClick: Command<Tracked & { linkId: number }, void> = async (
  context,
  { token, linkId, ...visit }
) => {
  const recipient = await recipientOf(context, await signingSecret(context.db), 'click', token)
  if (recipient) await countClick(context, recipient, linkId, visit)
}

/**
 * Counts a click. It also counts as the recipient's open if it is the first, even if images were not loaded,
 * so that no rate exceeds 1.
 */
export async function countClick(
  context: CommandContext,
  recipient: TrackedRecipient,
  linkId: number,
  visit: Visit
): Promise<void> {
  const link = await context.db
    .selectFrom('stat_links')
    .select('stat_slice_id')
    .where('id', '=', linkId)
    .executeTakeFirst()
  if (link?.stat_slice_id !== recipient.sliceId) return
  const { sliceId, subscriber, timeZone, tracksOpens } = recipient
  const at = visit.at ?? context.now
  const followed = { sliceId, subscriberId: subscriber.id, link: String(linkId), at }
  const isOfBurst = await detectBurst(context, followed)
  const judged = { ...visit, isMachine: visit.isMachine || isOfBurst }
  if (tracksOpens && !(await happened(context, { type: 'open', sliceId, subscriber }))) {
    await countOpen(context, recipient, judged)
  }
  await recordEvent(context, { type: 'click', sliceId, subscriber, linkId, ...judged }, timeZone)
}

interface FollowedPage {
  token: string
  purpose: TokenPurpose
  link: string
  /** UNIX milliseconds; left out = now. */
  at?: number
}

/** Remembers a visit that counts nothing: of a page of the message, or by HEAD. */
const trackVisit: Command<FollowedPage, void> = async (context, { token, purpose, link, at }) => {
  const named = readToken(await signingSecret(context.db), purpose, token)
  if (named) await recordVisit(context, { ...named, link, at: at ?? context.now })
}

export type TrackedRecipient = NonNullable<Awaited<ReturnType<typeof recipientOf>>>

/**
 * Returns the recipient of a token while subscriber and campaign exist: links of deleted ones count nothing.
 */
export async function recipientOf(
  context: CommandContext,
  secret: KeyObject,
  purpose: TokenPurpose,
  token: string
) {
  const named = readToken(secret, purpose, token)
  if (!named) return null
  const slice = await countedSlice(context.db, named.sliceId)
  const subscriber = await recipientNamed(context.db, named)
  if (!slice || !subscriber) return null
  return {
    sliceId: named.sliceId,
    subscriber: {
      ...{ id: subscriber.id, email: subscriber.email },
      distinct_id: 'distinct_id' in subscriber ? subscriber.distinct_id : null
    },
    timeZone: subscriber.time_zone_name,
    organizationId: subscriber.organization_id,
    campaignId: slice.campaign_id,
    autoresponderId: slice.autoresponder_id,
    tracksOpens: slice.track_opens === 1
  }
}

export const trackingCommands = {
  open: trackOpen,
  click: trackClick,
  visit: trackVisit
}

declare module '../database/command.ts' {
  interface CommandRegistry {
    tracking: typeof trackingCommands
  }
}
