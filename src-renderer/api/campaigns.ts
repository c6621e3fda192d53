import type {
  CampaignChanges,
  CampaignDetail,
  CampaignInput,
  CampaignState
} from '../../src-main/api/campaigns/schema.ts'
import type { SegmentationCriteria } from '../../src-main/api/segments/schema.ts'
import type { LinkStats } from '../../src-main/api/statistics/schema.ts'
import type { CampaignProgress, ListedCampaign } from '../../src-main/workbench/campaigns.ts'
import { call, callWorkbench, query } from './client.ts'

export type { CampaignChanges, CampaignDetail, CampaignProgress, CampaignState, LinkStats, ListedCampaign }

/** The campaigns of a list, or with null of all lists; the newest first. */
export function fetchCampaigns(listId: number | null): Promise<ListedCampaign[]> {
  return callWorkbench(`/campaigns${listId === null ? '' : query({ mailing_list_id: listId })}`)
}

export function fetchCampaign(id: number): Promise<CampaignDetail> {
  return call(`/campaigns/${id}`)
}

/** @param source the parts that come from a template */
export function createCampaign(
  listId: number,
  campaign: CampaignChanges,
  source: Partial<CampaignInput> = {}
): Promise<CampaignDetail> {
  return call(`/mailing_lists/${listId}/campaigns`, { method: 'POST', body: { ...source, campaign } })
}

export function updateCampaign(id: number, changes: CampaignChanges): Promise<CampaignDetail> {
  return call(`/campaigns/${id}`, { method: 'PUT', body: { campaign: changes } })
}

export function deleteCampaign(id: number): Promise<null> {
  return call(`/campaigns/${id}`, { method: 'DELETE' })
}

export type CampaignAction = 'pause' | 'resume' | 'cancel'

export function actOnCampaign(id: number, action: CampaignAction): Promise<CampaignDetail> {
  return call(`/campaigns/${id}/${action}`, { method: 'POST' })
}

/** Files each content for each address, with the preview data of the list. */
export function sendPreview(id: number, recipients: string[]): Promise<null> {
  const preview = { recipients, split_emails_by_format: false }
  return call(`/campaigns/${id}/send_preview`, { method: 'POST', body: { preview } })
}

export function fetchCampaignProgress(id: number): Promise<CampaignProgress> {
  return callWorkbench(`/campaigns/${id}/progress`)
}

export async function fetchLinks(id: number): Promise<LinkStats['links']> {
  return (await call<LinkStats>(`/campaigns/${id}/link_stats?per_page=500`)).links
}

/** Where the messages of a campaign are downloaded. */
export function outboxAddress(id: number): string {
  return `/app/v1/campaigns/${id}/outbox`
}

/** Where the previews of the organization are downloaded. */
export const previewsAddress = '/app/v1/previews'

/** The segments of the organization, those without a name as well. */
export function fetchCriteria(): Promise<SegmentationCriteria[]> {
  return call('/segmentation_criterias')
}
