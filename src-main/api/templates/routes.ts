import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Caller } from '../../http/caller.ts'
import { campaignById, presentTemplate, presentTemplateSummary, templatesOf } from '../campaigns/queries.ts'
import { CampaignChanges, TemplateDetail, TemplateSummary } from '../campaigns/schema.ts'
import { envelope, ok } from '../../http/envelope.ts'
import { mailingListById } from '../mailing-lists/queries.ts'
import { IdParams, MailingListParams, wrappedBeside } from '../../http/schema.ts'

const tags = ['Campaign templates']

/** Older clients write a template under its own name (supplement, section 2). */
const TemplateBody = wrappedBeside('campaign', CampaignChanges, { template: Type.Optional(CampaignChanges) })

const fromScratch = {
  duplicate_content: false,
  duplicate_segmentation_criteria: false,
  duplicate_dispatch: false
}

/** Templates are campaigns that are never sent; see api/campaigns. */
export const templateRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer } = app.context

  app.get(
    '/templates',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'List the templates of all lists',
        response: { 200: envelope(Type.Array(TemplateSummary)) }
      }
    },
    async ({ caller }) =>
      ok((await templatesOf(reader, caller.organizationId, null)).map(presentTemplateSummary))
  )

  app.get(
    '/mailing_lists/:mailing_list_id/templates',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'List the templates of a list',
        params: MailingListParams,
        response: { 200: envelope(Type.Array(TemplateSummary)) }
      }
    },
    async ({ caller, params }) => {
      const list = await mailingListById(reader, caller.organizationId, params.mailing_list_id)
      return ok((await templatesOf(reader, caller.organizationId, list.id)).map(presentTemplateSummary))
    }
  )

  app.get(
    '/templates/:id',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'Read a template',
        params: IdParams,
        response: { 200: envelope(TemplateDetail) }
      }
    },
    async ({ caller, params }) => ok(await answer(caller, params.id))
  )

  app.post(
    '/mailing_lists/:mailing_list_id/templates',
    {
      config: { access: 'campaign/template.create' },
      schema: {
        tags,
        summary: 'Create a template',
        params: MailingListParams,
        body: TemplateBody,
        response: { 200: envelope(TemplateDetail) }
      }
    },
    async ({ caller, params, body }) => {
      const id = await writer.run('campaigns.create', {
        ...scopeOf(caller),
        mailingListId: params.mailing_list_id,
        source: fromScratch,
        campaign: body.template ?? body.campaign
      })
      return ok(await answer(caller, id))
    }
  )

  app.put(
    '/templates/:id',
    {
      config: { access: 'campaign/template.update' },
      schema: {
        tags,
        summary: 'Change a template',
        params: IdParams,
        body: TemplateBody,
        response: { 200: envelope(TemplateDetail) }
      }
    },
    async ({ caller, params, body }) => {
      const changes = body.template ?? body.campaign
      await writer.run('campaigns.update', { ...scopeOf(caller), id: params.id, changes })
      return ok(await answer(caller, params.id))
    }
  )

  app.delete(
    '/templates/:id',
    {
      config: { access: 'campaign/template.delete' },
      schema: {
        tags,
        summary: 'Delete a template',
        params: IdParams,
        response: { 200: envelope(Type.Null()) }
      }
    },
    async ({ caller, params }) => {
      const { organizationId } = caller
      await writer.run('campaigns.delete', { organizationId, id: params.id, kind: 'template' })
      return ok(null)
    }
  )

  async function answer(caller: Caller, id: number): Promise<TemplateDetail> {
    const row = await campaignById(reader, caller.organizationId, id, 'template')
    return presentTemplate(reader, row, caller.timeZone)
  }
}

function scopeOf({ organizationId, timeZone }: Caller) {
  return { organizationId, timeZone, kind: 'template' as const }
}
