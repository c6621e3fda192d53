import type { Kysely } from 'kysely'
import type { StoredValues } from '../api/custom-fields/rules.ts'
import { mailingListById } from '../api/mailing-lists/queries.ts'
import { organizationById } from '../api/organizations/queries.ts'
import { autoresponderPlanOf } from '../delivery/autoresponder-plan.ts'
import { campaignToSend, campaignPlanOf } from '../delivery/campaign-plan.ts'
import type { MessagePlan } from '../delivery/plan.ts'
import type { Schema } from '../database/schema.ts'
import type { Addressee, WrittenContent } from '../delivery/message.ts'
import { remoteRecipient } from '../api/remote-lists/queries.ts'
import { readToken, type TokenContent } from '../api/subscribers/tokens.ts'
import { lookOfList } from '../api/list-pages/queries.ts'
import type { WebFormRow } from '../api/web-forms/queries.ts'
import { type SignUpForm, signUpFormOf } from '../api/web-forms/sign-up-page.ts'
import { type PageLook, plainLook } from '../public-pages/look.ts'
import { signingSecret } from '../settings/queries.ts'

/** The message that a subscriber got, as it would be written now; null when the campaign or the subscriber was deleted. */
export async function messageOf(
  db: Kysely<Schema>,
  named: TokenContent,
  linkBase: string
): Promise<WrittenContent | null> {
  const found = await composerFor(db, named, linkBase)
  return found?.isThere ? found.composer.write(found.contentId, found.addressee) : null
}

/** Returns how a page for unsubscribing looks; null for a token that names nobody there. */
export async function lookByToken(db: Kysely<Schema>, token: string): Promise<PageLook | null> {
  const named = readToken(await signingSecret(db), 'unsubscribe', token)
  if (!named) return null
  const remote = await remoteRecipient(db, named)
  if (remote) {
    const { mailing_list_id: id, list_name: name, d_from_name } = remote
    return lookOfList(db, { id, name, d_from_name })
  }
  const list = await db
    .selectFrom('subscribers')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_id')
    .select(['mailing_lists.id', 'mailing_lists.name', 'd_from_name'])
    .where('subscribers.id', '=', named.subscriberId)
    .executeTakeFirst()
  return list ? lookOfList(db, list) : plainLook
}

/** Returns the form that a link names; null if it has no page, or is gone. */
export async function formByToken(db: Kysely<Schema>, token: string): Promise<SignUpForm<WebFormRow> | null> {
  const named = readToken(await signingSecret(db), 'sign_up', token)
  if (!named) return null
  const form = await db
    .selectFrom('web_forms')
    .selectAll()
    .where('id', '=', named.sliceId)
    .where('has_page', '=', 1)
    .executeTakeFirst()
  if (!form) return null
  const list = await db
    .selectFrom('mailing_lists')
    .selectAll()
    .where('id', '=', form.mailing_list_id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return list ? signUpFormOf(db, list, form) : null
}

/** The address of a link as its content has it; undefined for no link of the content that a token names. */
export async function addressOfLink(
  db: Kysely<Schema>,
  { sliceId }: TokenContent,
  linkId: number
): Promise<string | undefined> {
  const link = await db
    .selectFrom('stat_links')
    .select('url')
    .where('id', '=', linkId)
    .where('stat_slice_id', '=', sliceId)
    .executeTakeFirst()
  return link?.url
}

/** Returns the target of a link, also for seeds and after the campaign or subscriber was deleted. */
export async function linkOfMessage(
  db: Kysely<Schema>,
  named: TokenContent,
  url: string,
  linkBase: string
): Promise<string | null> {
  const found = await composerFor(db, named, linkBase)
  return found ? found.composer.writeLink(url, found.contentId, found.addressee) : null
}

interface SentContent {
  plan: MessagePlan
  contentId: number
  /** JSON of the list's preview values. */
  previewValues: string
  isDeleted: boolean
}

/** Returns how the messages of a content were composed; null once that is not known any more. */
async function sentContent(
  db: Kysely<Schema>,
  sliceId: number,
  linkBase: string
): Promise<SentContent | null> {
  const slice = await db
    .selectFrom('stat_slices')
    .innerJoin('stats', 'stats.id', 'stat_slices.stat_id')
    .leftJoin('campaigns', 'campaigns.id', 'stats.campaign_id')
    .select(['campaign_id', 'autoresponder_id', 'content_id', 'deleted_at'])
    .where('stat_slices.id', '=', sliceId)
    .executeTakeFirst()
  if (slice?.autoresponder_id != null) return sentAutoresponder(db, slice.autoresponder_id, sliceId, linkBase)
  if (slice?.campaign_id == null || slice.content_id === null) return null
  const campaign = await campaignToSend(db, slice.campaign_id)
  const plan = await campaignPlanOf(db, campaign, { linkBase, leaves: false })
  return (
    plan && {
      plan,
      contentId: slice.content_id,
      previewValues: campaign.preview_custom_field_data,
      isDeleted: slice.deleted_at !== null
    }
  )
}

async function sentAutoresponder(
  db: Kysely<Schema>,
  id: number,
  sliceId: number,
  linkBase: string
): Promise<SentContent | null> {
  const row = await db.selectFrom('autoresponders').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const { organization_id: organizationId } = await db
    .selectFrom('mailing_lists')
    .select('organization_id')
    .where('id', '=', row.mailing_list_id)
    .executeTakeFirstOrThrow()
  const list = await mailingListById(db, organizationId, row.mailing_list_id)
  const { time_zone_name: timeZone } = await organizationById(db, organizationId)
  const plan = await autoresponderPlanOf(db, list, row, { linkBase, leaves: false, timeZone, sliceId })
  return plan && { plan, contentId: id, previewValues: list.preview_custom_field_data, isDeleted: false }
}

async function composerFor(db: Kysely<Schema>, { subscriberId, sliceId }: TokenContent, linkBase: string) {
  const sent = await sentContent(db, sliceId, linkBase)
  if (!sent) return null
  const row = await db
    .selectFrom('subscribers')
    .select(['id', 'email', 'subscribe_time', 'subscribe_ip', 'custom_fields'])
    .where('id', '=', subscriberId)
    .executeTakeFirst()
  const { custom_fields, ...rest } = row ?? {
    ...nobody,
    // A message to a seed address has the preview values of the list.
    custom_fields: subscriberId === 0 ? sent.previewValues : '{}'
  }
  // Loaded at the first use, as most sessions neither send nor show messages.
  const { MessageComposer } = await import('../delivery/message.ts')
  const addressee: Addressee = { ...rest, values: JSON.parse(custom_fields) as StoredValues, format: null }
  return {
    composer: new MessageComposer(sent.plan),
    contentId: sent.contentId,
    addressee,
    isThere: row !== undefined && !sent.isDeleted
  }
}

/** Leaves all codes of an address blank. */
const nobody = { id: 0, email: '', subscribe_time: 0, subscribe_ip: null }
