import type {
  CampaignChanges,
  Content,
  TemplateDetail,
  TemplateSummary
} from '../../src-main/api/campaigns/schema.ts'
import type { ContentPreview } from '../../src-main/workbench/content-preview.ts'
import { call, callWorkbench } from './client.ts'

export type { Content, ContentPreview, TemplateDetail, TemplateSummary }

export function fetchTemplates(listId: number): Promise<TemplateSummary[]> {
  return call(`/mailing_lists/${listId}/templates`)
}

export function fetchTemplate(id: number): Promise<TemplateDetail> {
  return call(`/templates/${id}`)
}

export function createTemplate(listId: number, template: CampaignChanges): Promise<TemplateDetail> {
  return call(`/mailing_lists/${listId}/templates`, { method: 'POST', body: { campaign: template } })
}

export function updateTemplate(id: number, changes: CampaignChanges): Promise<TemplateDetail> {
  return call(`/templates/${id}`, { method: 'PUT', body: { campaign: changes } })
}

export function deleteTemplate(id: number): Promise<null> {
  return call(`/templates/${id}`, { method: 'DELETE' })
}

/** A content as somebody would get it, with the list's preview data. @param name of the campaign */
export function previewContent(
  listId: number,
  message: { name: string; subject: string; html: string; text: string }
): Promise<ContentPreview> {
  return callWorkbench(`/mailing_lists/${listId}/content_preview`, { method: 'POST', body: message })
}
