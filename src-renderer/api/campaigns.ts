import type { campaignEndpoints } from '../../src-main/api/campaigns/endpoints.ts'
import type {
  CampaignLogEntry,
  CampaignChanges,
  CampaignDetail,
  CampaignInput,
  CampaignState
} from '../../src-main/api/campaigns/schema.ts'
import type { segmentEndpoints } from '../../src-main/api/segments/endpoints.ts'
import type { SegmentationCriteria } from '../../src-main/api/segments/schema.ts'
import type { statisticsEndpoints } from '../../src-main/api/statistics/endpoints.ts'
import type { LinkStats } from '../../src-main/api/statistics/schema.ts'
import type { Rehearsal, rehearsalEndpoints } from '../../src-main/delivery/endpoints.ts'
import type {
  campaignEndpoints as shownEndpoints,
  CampaignProgress,
  ListedCampaign,
  ListedTemplate
} from '../../src-main/workbench/campaigns/endpoints.ts'
import { apiCalls, type Page, type RecordVersion, windowCalls } from './client.ts'

export type { Rehearsal }

export type {
  CampaignChanges,
  CampaignDetail,
  CampaignProgress,
  CampaignState,
  LinkStats,
  ListedCampaign,
  ListedTemplate
}

const rehearsals = apiCalls<typeof rehearsalEndpoints>()
const campaigns = apiCalls<typeof campaignEndpoints>()
const segments = apiCalls<typeof segmentEndpoints>()
const statistics = apiCalls<typeof statisticsEndpoints>()
const shown = windowCalls<typeof shownEndpoints>()

/** Campaigns of a list, or with null of all lists; the newest first. @param number of the page, from 0 */
export function fetchCampaignPage(
  listId: number | null,
  { archived, number, size }: { archived: boolean; number: number; size: number }
): Promise<Page<ListedCampaign>> {
  return shown.page('GET /campaigns', {
    query: {
      archived,
      page: number,
      per_page: size,
      ...(listId !== null && { mailing_list_id: listId })
    }
  })
}

/** Returns the campaigns of all lists that are being sent or scheduled. */
export function fetchPendingCampaigns(): Promise<ListedCampaign[]> {
  return shown.call('GET /campaigns', { query: { is_pending: true, per_page: 500 } })
}

/** Newest first. */
export function fetchCampaignNames(listId: number): Promise<{ id: number; name: string }[]> {
  return shown.call('GET /mailing_lists/:mailing_list_id/campaign_names', {
    params: { mailing_list_id: listId }
  })
}

export function fetchTemplateNames(listId: number): Promise<ListedTemplate[]> {
  return shown.call('GET /mailing_lists/:mailing_list_id/templates', { params: { mailing_list_id: listId } })
}

/** Composes the message to every recipient, without sending any. */
export function startRehearsal(id: number): Promise<Rehearsal> {
  return rehearsals.call('POST /campaigns/:id/rehearsal', { params: { id } })
}

export function fetchRehearsal(id: number): Promise<Rehearsal> {
  return rehearsals.call('GET /campaigns/:id/rehearsal', { params: { id } })
}

export function cancelRehearsal(id: number): Promise<Rehearsal> {
  return rehearsals.call('DELETE /campaigns/:id/rehearsal', { params: { id } })
}

/** What happened while a campaign was sent. */
export function fetchHistory(id: number): Promise<CampaignLogEntry[]> {
  return campaigns.call('GET /campaigns/:id/history', { params: { id } })
}

/** @param speed messages per hour; 0 = as fast as it goes */
export function changeSpeed(id: number, speed: number): Promise<CampaignDetail> {
  return campaigns.call('PUT /campaigns/:id/speed', { params: { id }, body: { campaign: { speed } } })
}

export function fetchCampaign(id: number, version?: RecordVersion): Promise<CampaignDetail> {
  return campaigns.call('GET /campaigns/:id', { params: { id }, version })
}

/** @param source the parts that come from a template */
export function createCampaign(
  listId: number,
  campaign: CampaignChanges,
  source: Partial<CampaignInput> = {}
): Promise<CampaignDetail> {
  return campaigns.call('POST /mailing_lists/:mailing_list_id/campaigns', {
    params: { mailing_list_id: listId },
    body: { ...source, campaign }
  })
}

export function updateCampaign(
  id: number,
  campaign: CampaignChanges,
  version?: RecordVersion
): Promise<CampaignDetail> {
  return campaigns.call('PUT /campaigns/:id', { params: { id }, body: { campaign }, version })
}

/**
 * Copies a campaign as a draft.
 * @returns its id
 */
export async function duplicateCampaign(id: number, name: string): Promise<number> {
  return (await shown.call('POST /campaigns/:id/duplicate', { params: { id }, body: { name } })).id
}

export async function deleteCampaign(id: number): Promise<void> {
  await campaigns.call('DELETE /campaigns/:id', { params: { id } })
}

export type CampaignAction = 'pause' | 'resume' | 'cancel'

export function actOnCampaign(id: number, action: CampaignAction): Promise<CampaignDetail> {
  return campaigns.call(`POST /campaigns/:id/${action}`, { params: { id } })
}

export function fetchCampaignProgress(id: number): Promise<CampaignProgress> {
  return shown.call('GET /campaigns/:id/progress', { params: { id } })
}

export async function fetchLinks(id: number): Promise<LinkStats['links']> {
  const asked = { params: { id }, query: { per_page: 500 } }
  return (await statistics.call('GET /campaigns/:id/link_stats', asked)).links
}

/** The address of a campaign's messages. */
export function outboxAddress(id: number): string {
  return shown.address('GET /campaigns/:id/outbox', { params: { id } })
}

/** The address of the organization's previews. */
export const previewsAddress = shown.address('GET /previews')

/** The segments of the organization, those without a name as well. */
export function fetchCriteria(): Promise<SegmentationCriteria[]> {
  return segments.call('GET /segmentation_criterias')
}
