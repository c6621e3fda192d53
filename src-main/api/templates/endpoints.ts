import { Type } from 'typebox'
import { CampaignChanges, TemplateDetail, TemplateSummary } from '../campaigns/schema.ts'
import { envelope } from '../../http/envelope.ts'
import { IdParams, MailingListParams, wrappedBeside } from '../../http/schema.ts'
import { endpoints } from '../../http/endpoint.ts'

/** Older clients write a template under its own name (docs/api.md, "Templates"). */
const TemplateBody = wrappedBeside('campaign', CampaignChanges, { template: Type.Optional(CampaignChanges) })

export const templateEndpoints = endpoints('Campaign templates', {
  'GET /templates': {
    access: 'signed_in',
    summary: 'List the templates of all lists',
    answer: envelope(Type.Array(TemplateSummary))
  },

  'GET /mailing_lists/:mailing_list_id/templates': {
    access: 'signed_in',
    summary: 'List the templates of a list',
    params: MailingListParams,
    answer: envelope(Type.Array(TemplateSummary))
  },

  'GET /templates/:id': {
    access: 'signed_in',
    summary: 'Read a template',
    params: IdParams,
    answer: envelope(TemplateDetail)
  },

  'POST /mailing_lists/:mailing_list_id/templates': {
    joinsFaults: true,
    access: 'campaign/template.create',
    summary: 'Create a template',
    params: MailingListParams,
    body: TemplateBody,
    answer: envelope(TemplateDetail)
  },

  'PUT /templates/:id': {
    joinsFaults: true,
    access: 'campaign/template.update',
    summary: 'Change a template',
    params: IdParams,
    body: TemplateBody,
    answer: envelope(TemplateDetail)
  },

  'DELETE /templates/:id': {
    access: 'campaign/template.delete',
    summary: 'Delete a template',
    params: IdParams,
    answer: envelope(Type.Null())
  }
})
