import type { Kysely } from 'kysely'
import type { StoredValues } from '../api/custom-fields/rules.ts'
import { campaignToSend, messagePlanOf } from '../api/campaigns/message-plan.ts'
import type { Schema } from '../database/schema.ts'
import { type Addressee, MessageComposer, type WrittenContent } from '../delivery/message.ts'
import type { TokenContent } from './tokens.ts'

/** The message that a subscriber got, as it would be written now; null when the campaign or the subscriber is gone. */
export async function messageOf(
  db: Kysely<Schema>,
  named: TokenContent,
  linkBase: string
): Promise<WrittenContent | null> {
  const found = await composerFor(db, named, linkBase)
  return found && found.composer.write(found.contentId, found.addressee)
}

/** Where a link of a subscriber's message leads; null when there is no such link, campaign or subscriber. */
export async function linkOfMessage(
  db: Kysely<Schema>,
  named: TokenContent,
  linkId: number,
  linkBase: string
): Promise<string | null> {
  const link = await db
    .selectFrom('stat_links')
    .select('url')
    .where('id', '=', linkId)
    .where('stat_slice_id', '=', named.sliceId)
    .executeTakeFirst()
  const found = link && (await composerFor(db, named, linkBase))
  return found ? found.composer.writeLink(link.url, found.contentId, found.addressee) : null
}

async function composerFor(db: Kysely<Schema>, { subscriberId, sliceId }: TokenContent, linkBase: string) {
  const slice = await db
    .selectFrom('stat_slices')
    .innerJoin('stats', 'stats.id', 'stat_slices.stat_id')
    .select(['campaign_id', 'content_id'])
    .where('stat_slices.id', '=', sliceId)
    .executeTakeFirst()
  const row = await db
    .selectFrom('subscribers')
    .select(['id', 'email', 'subscribe_time', 'subscribe_ip', 'custom_fields'])
    .where('id', '=', subscriberId)
    .executeTakeFirst()
  if (!row || slice?.campaign_id == null || slice.content_id === null) return null
  const plan = await messagePlanOf(db, await campaignToSend(db, slice.campaign_id), linkBase)
  if (!plan) return null
  const { custom_fields, ...rest } = row
  const addressee: Addressee = { ...rest, values: JSON.parse(custom_fields) as StoredValues, format: null }
  return { composer: new MessageComposer(plan), contentId: slice.content_id, addressee }
}
