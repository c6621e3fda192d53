import type { CampaignChanges, Content, TemplateDetail } from '../../src-main/api/campaigns/schema.ts'
import type { Given } from '../../src-main/http/endpoint.ts'
import type { templateEndpoints } from '../../src-main/api/templates/endpoints.ts'
import type {
  ContentPreview,
  contentPreviewEndpoints
} from '../../src-main/workbench/content-preview/endpoints.ts'
import { apiCalls, type RecordVersion, windowCalls } from './client.ts'

export type { Content, ContentPreview, TemplateDetail }

const { call } = apiCalls<typeof templateEndpoints>()
const previews = windowCalls<typeof contentPreviewEndpoints>()
const previewEndpoint = 'POST /mailing_lists/:mailing_list_id/content_preview'

export function fetchTemplate(id: number, version?: RecordVersion): Promise<TemplateDetail> {
  return call('GET /templates/:id', { params: { id }, version })
}

export function createTemplate(listId: number, template: CampaignChanges): Promise<TemplateDetail> {
  return call('POST /mailing_lists/:mailing_list_id/templates', {
    params: { mailing_list_id: listId },
    body: { campaign: template }
  })
}

export function updateTemplate(
  id: number,
  changes: CampaignChanges,
  version?: RecordVersion
): Promise<TemplateDetail> {
  return call('PUT /templates/:id', { params: { id }, body: { campaign: changes }, version })
}

export async function deleteTemplate(id: number): Promise<void> {
  await call('DELETE /templates/:id', { params: { id } })
}

/** Returns a content as a recipient would see it. */
export function previewContent(
  listId: number,
  message: Given<(typeof contentPreviewEndpoints)['endpoints'][typeof previewEndpoint]['body']>
): Promise<ContentPreview> {
  return previews.call(previewEndpoint, { params: { mailing_list_id: listId }, body: message })
}
