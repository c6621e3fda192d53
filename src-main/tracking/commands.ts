import type { Command, CommandContext } from '../database/command.ts'
import { queueReactions } from '../api/autoresponders/reactions.ts'
import { countedSlice, happened, recordEvent } from '../api/statistics/counting.ts'
import { subscriberWithList } from '../api/subscribers/queries.ts'
import { signingSecret } from '../settings/queries.ts'
import { readToken, type TokenPurpose } from '../api/subscribers/tokens.ts'

interface Tracked {
  token: string
  ip: string
}

const trackOpen: Command<Tracked, void> = async (context, { token, ip }) => {
  const recipient = await recipientOf(context, 'open', token)
  if (!recipient) return
  await noteOpen(context, recipient, ip)
}

async function noteOpen(
  context: CommandContext,
  { sliceId, subscriber, timeZone, campaignId, autoresponderId }: TrackedRecipient,
  ip: string
): Promise<void> {
  const isFirst = await recordEvent(context, { type: 'open', sliceId, subscriber, ip }, timeZone)
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

/**
 * Counts a click. It also counts as the recipient's open if it is the first, even if images were not loaded,
 * so that no rate exceeds 1.
 */
const trackClick: Command<Tracked & { linkId: number }, void> = async (context, { token, ip, linkId }) => {
  const recipient = await recipientOf(context, 'click', token)
  const link = await context.db
    .selectFrom('stat_links')
    .select('stat_slice_id')
    .where('id', '=', linkId)
    .executeTakeFirst()
  if (!recipient || link?.stat_slice_id !== recipient.sliceId) return
  const { sliceId, subscriber, timeZone, tracksOpens } = recipient
  if (tracksOpens && !(await happened(context, { type: 'open', sliceId, subscriber }))) {
    await noteOpen(context, recipient, ip)
  }
  await recordEvent(context, { type: 'click', sliceId, subscriber, linkId, ip }, timeZone)
}

type TrackedRecipient = NonNullable<Awaited<ReturnType<typeof recipientOf>>>

/**
 * Returns the recipient of a token while subscriber and campaign exist: links of deleted ones count nothing.
 */
async function recipientOf(context: CommandContext, purpose: TokenPurpose, token: string) {
  const named = readToken(await signingSecret(context.db), purpose, token)
  if (!named) return null
  const slice = await countedSlice(context.db, named.sliceId)
  const subscriber = await subscriberWithList(context.db, named.subscriberId)
  if (!slice || !subscriber) return null
  return {
    sliceId: named.sliceId,
    subscriber: { id: subscriber.id, email: subscriber.email },
    timeZone: subscriber.time_zone_name,
    campaignId: slice.campaign_id,
    autoresponderId: slice.autoresponder_id,
    tracksOpens: slice.track_opens === 1
  }
}

export const trackingCommands = {
  open: trackOpen,
  click: trackClick
}

declare module '../database/command.ts' {
  interface CommandRegistry {
    tracking: typeof trackingCommands
  }
}
