import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { MessagePlan } from './plan.ts'
import { signingSecret } from '../settings/queries.ts'
import { fieldsOfList } from '../api/custom-fields/queries.ts'
import { addressesOf, type LinkPlan } from './addresses.ts'
import { organizationById } from '../api/organizations/queries.ts'
import { type ContentRow, contentsOf, dispatchOf } from '../api/campaigns/queries.ts'
import { customHeaders, xCampaignId } from '../api/campaigns/rules.ts'

/** A campaign with what its delivery needs of its list, organization and segment. */
export type CampaignToSend = Awaited<ReturnType<typeof campaignToSend>>

export function campaignToSend(db: Kysely<Schema>, id: number) {
  return db
    .selectFrom('campaigns')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'campaigns.mailing_list_id')
    .innerJoin('organizations', 'organizations.id', 'mailing_lists.organization_id')
    .leftJoin('segments', 'segments.id', 'campaigns.segment_id')
    .select([
      'campaigns.id',
      'campaigns.name',
      'campaigns.mailing_list_id',
      'is_remote_list',
      'remote_sql',
      'mailing_lists.name as list_name',
      'd_from_email',
      'd_from_name',
      'd_reply_to',
      'd_sender_email',
      'has_format',
      'custom_headers',
      'custom_headers_enabled',
      'preview_custom_field_data',
      'organization_id',
      'time_zone_name',
      'clause'
    ])
    .where('campaigns.id', '=', id)
    .executeTakeFirstOrThrow()
}

/**
 * Returns how the messages of a campaign are composed; without delivery settings, by its list's defaults.
 * @returns null if it has no content
 */
export async function campaignPlanOf(
  db: Kysely<Schema>,
  campaign: CampaignToSend,
  links: LinkPlan
): Promise<MessagePlan | null> {
  const { organization_id: organizationId, mailing_list_id: mailingListId } = campaign
  const [first, ...others] = await contentsOf(db, [campaign.id])
  if (!first) return null
  const dispatch = await dispatchOf(db, campaign.id)
  const addresses = await addressesOf(
    db,
    { organizationId, urlDomainId: dispatch?.url_domain_id, bounceUserId: dispatch?.bounce_email_id },
    links
  )
  const tracked = await trackedOf(db, campaign.id)
  const hasLinks = addresses.linkBase !== null
  const plannedContent = (content: ContentRow) => ({
    ...content,
    sliceId: tracked.get(content.id)?.sliceId ?? 0,
    links: dispatch?.track_links === 1 && hasLinks ? (tracked.get(content.id)?.links ?? []) : []
  })
  return {
    organizationId,
    campaign: { id: campaign.id, name: campaign.name },
    xCampaignId: xCampaignId(campaign),
    list: { id: mailingListId, name: campaign.list_name },
    sender: {
      from_email: (dispatch ? dispatch.from_email : campaign.d_from_email) ?? '',
      from_name: dispatch ? dispatch.from_name : campaign.d_from_name,
      sender_email: dispatch ? dispatch.sender_email : campaign.d_sender_email,
      reply_to: dispatch ? dispatch.reply_to : campaign.d_reply_to
    },
    ...addresses,
    customHeaders: campaign.custom_headers_enabled === 1 ? customHeaders(campaign.custom_headers) : [],
    fields: await fieldsOfList(db, organizationId, mailingListId),
    timeZone: campaign.time_zone_name,
    asksToConfirm: false,
    isRemote: campaign.is_remote_list === 1,
    signingSecret: await signingSecret(db),
    tracksOpens: dispatch?.track_opens === 1 && hasLinks,
    frame: await organizationById(db, organizationId),
    attachmentsOf: campaign.id,
    contents: [plannedContent(first), ...others.map(plannedContent)]
  }
}

/** Returns the statistics ids of a started campaign's contents, by content id. */
async function trackedOf(
  db: Kysely<Schema>,
  campaignId: number
): Promise<Map<number, { sliceId: number; links: { id: number; url: string }[] }>> {
  const rows = await db
    .selectFrom('stats')
    .innerJoin('stat_slices', 'stat_slices.stat_id', 'stats.id')
    .leftJoin('stat_links', 'stat_links.stat_slice_id', 'stat_slices.id')
    .select(['content_id', 'stat_slices.id as slice_id', 'stat_links.id', 'url'])
    .where('campaign_id', '=', campaignId)
    .orderBy('stat_links.id')
    .execute()
  const tracked = new Map<number, { sliceId: number; links: { id: number; url: string }[] }>()
  for (const { content_id, slice_id, id, url } of rows) {
    const content = tracked.get(content_id ?? 0) ?? { sliceId: slice_id, links: [] }
    tracked.set(content_id ?? 0, content)
    if (id !== null && url !== null) content.links.push({ id, url })
  }
  return tracked
}
