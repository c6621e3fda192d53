import type { SegmentationCriteria } from '../../src-main/api/segments/schema.ts'
import type { CampaignChanges, CampaignDetail } from '../api/campaigns.ts'
import type { DeliverySettings } from '../api/delivery-settings.ts'
import type { MailingList } from '../api/mailing-lists.ts'
import { type DraftContent, newContent } from './draft-content.ts'
import { blankSending, changesOf as listChangesOf, type ListSettings, settingsOf } from './list-settings.ts'
import { fillDraft } from './fill-draft.ts'

/** Stands for conditions that a program gave the campaign, which the window keeps as they are. */
export const ownConditions = -1
/** Stands for everyone on the list. */
export const everyone = 0

/** A campaign that is being written. */
export interface CampaignDraft {
  name: string
  /** A segment by id, or {@link everyone}, or {@link ownConditions}. */
  segment: number
  /** The query for recipients of a Remote List, instead of a segment. */
  remoteSql: string | null
  contents: DraftContent[]
  /** The delivery settings, under the names of the list's defaults, so that the same fields show them. */
  sending: ListSettings
  trackOpens: boolean
  trackLinks: boolean
}

export function newDraft(list: MailingList): CampaignDraft {
  return {
    name: '',
    segment: everyone,
    remoteSql: list.is_remote_list ? '' : null,
    contents: [newContent(1)],
    sending: settingsOf(list),
    trackOpens: true,
    trackLinks: true
  }
}

/** @param criteria all segments, to distinguish unnamed conditions from everyone */
export function draftOf(
  campaign: CampaignDetail,
  list: MailingList,
  criteria: SegmentationCriteria[]
): CampaignDraft {
  const { dispatch } = campaign
  const contents = campaign.campaign_contents
  const start = newDraft(list)
  return {
    name: campaign.name,
    segment: segmentOf(campaign, criteria),
    remoteSql: list.is_remote_list ? (campaign.segmentation_criteria_remote_sql ?? '') : null,
    contents: contents.length > 0 ? contents : start.contents,
    sending: dispatch
      ? {
          ...start.sending,
          ...fillDraft(blankSending, {
            ...Object.fromEntries(Object.entries(dispatch).map(([key, value]) => [`d_${key}`, value])),
            d_virtual_mta: dispatch.virtual_mta_name,
            d_url_domain: dispatch.url_domain_domain,
            d_bounce_email: dispatch.bounce_email_email,
            d_seed_list_ids: dispatch.seed_lists.map(({ id }) => id)
          })
        }
      : start.sending,
    trackOpens: dispatch?.track_opens ?? true,
    trackLinks: dispatch?.track_links ?? true
  }
}

/** Returns the recipients in the form of {@link CampaignDraft.segment}. */
export function segmentOf(
  { segmentation_criteria_id: id, segmentation_criteria_name: name }: CampaignDetail,
  criteria: SegmentationCriteria[]
): number {
  if (id === null || name !== null) return id ?? everyone
  return criteria.find((each) => each.id === id)?.criteria_json === '[]' ? everyone : ownConditions
}

/** Delivery settings that only a split test uses; changes are stored even without one. */
export function winnerAttributesOf({ sending }: CampaignDraft) {
  return {
    autowinner_delay_unit: sending.d_autowinner_delay_unit,
    autowinner_metric: sending.d_autowinner_metric
  }
}

/** True if the campaign itself says who gets it: without that it is never sent. */
export function hasRecipients({
  segmentation_criteria_id: segment,
  segmentation_criteria_remote_sql: sql
}: CampaignDetail): boolean {
  return segment !== null || sql !== null
}

/** Returns the recipients as a request. */
export function recipientsOf({ segment, remoteSql }: CampaignDraft): CampaignChanges {
  if (remoteSql !== null) return { segmentation_criteria_remote_sql: remoteSql.trim() || null }
  if (segment === ownConditions) return {}
  return segment === everyone ? { segmentation_criteria_ad_hoc: [] } : { segmentation_criteria_id: segment }
}

/** Returns the draft as a request, without the time of sending. */
export function changesOf(draft: CampaignDraft, available: DeliverySettings): CampaignChanges {
  const sending = listChangesOf(draft.sending)
  const { d_url_domain: domain, d_bounce_email: bounceEmail } = sending
  return {
    name: draft.name.trim(),
    ...recipientsOf(draft),
    contents: draft.contents,
    dispatch_attributes: {
      from_name: sending.d_from_name ?? null,
      from_email: sending.d_from_email ?? null,
      reply_to: sending.d_reply_to ?? null,
      sender_email: sending.d_sender_email ?? null,
      speed: sending.d_speed ?? 0,
      virtual_mta_id: available.virtualMtas.find(({ name }) => name === sending.d_virtual_mta)?.id ?? 0,
      url_domain_id: available.urlDomains.find((each) => each.domain === domain)?.id ?? null,
      bounce_email_id: available.bounceEmails.find(({ email }) => email === bounceEmail)?.id ?? null,
      seed_list_ids: sending.d_seed_list_ids ?? [],
      track_opens: draft.trackOpens,
      track_links: draft.trackLinks,
      autowinner_enabled: sending.d_autowinner_enabled ?? false,
      autowinner_percentage: sending.d_autowinner_percentage ?? null,
      autowinner_delay_amount: sending.d_autowinner_delay_amount ?? null,
      ...(sending.d_autowinner_enabled && {
        autowinner_delay_unit: sending.d_autowinner_delay_unit ?? null,
        autowinner_metric: sending.d_autowinner_metric ?? null
      })
    }
  }
}
