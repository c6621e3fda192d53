import type {
  CampaignChanges,
  Content,
  TemplateDetail,
  TemplateSummary
} from '../../src-main/api/campaigns/schema.ts'
import type { templateEndpoints } from '../../src-main/api/templates/endpoints.ts'
import type {
  ContentPreview,
  contentPreviewEndpoints
} from '../../src-main/workbench/endpoints/content-preview.ts'
import { apiCalls, windowCalls } from './client.ts'

export type { Content, ContentPreview, TemplateDetail, TemplateSummary }

const { call } = apiCalls<typeof templateEndpoints>()
const previews = windowCalls<typeof contentPreviewEndpoints>()

export function fetchTemplates(listId: number): Promise<TemplateSummary[]> {
  return call('GET /mailing_lists/:mailing_list_id/templates', { params: { mailing_list_id: listId } })
}

export function fetchTemplate(id: number): Promise<TemplateDetail> {
  return call('GET /templates/:id', { params: { id } })
}

export function createTemplate(listId: number, template: CampaignChanges): Promise<TemplateDetail> {
  return call('POST /mailing_lists/:mailing_list_id/templates', {
    params: { mailing_list_id: listId },
    body: { campaign: template }
  })
}

export function updateTemplate(id: number, changes: CampaignChanges): Promise<TemplateDetail> {
  return call('PUT /templates/:id', { params: { id }, body: { campaign: changes } })
}

export async function deleteTemplate(id: number): Promise<void> {
  await call('DELETE /templates/:id', { params: { id } })
}

/** A content as somebody would get it, with the list's preview data. @param name of the campaign */
export function previewContent(
  listId: number,
  message: { name: string; subject: string; html: string; text: string }
): Promise<ContentPreview> {
  return previews.call('POST /mailing_lists/:mailing_list_id/content_preview', {
    params: { mailing_list_id: listId },
    body: message
  })
}
