import type { Caller } from '../../http/caller.ts'
import { campaignById, presentTemplate, presentTemplateSummary, templatesOf } from '../campaigns/queries.ts'
import { TemplateDetail } from '../campaigns/schema.ts'
import { ok } from '../../http/envelope.ts'
import { mailingListById } from '../mailing-lists/queries.ts'
import { templateEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

const fromScratch = {
  duplicate_content: false,
  duplicate_segmentation_criteria: false,
  duplicate_dispatch: false
}

/** Templates are campaigns that are never sent; see api/campaigns. */
export const templateRoutes = serveEndpoints(templateEndpoints, ({ reader, writer }) => {
  return {
    'GET /templates': async ({ caller }) =>
      ok((await templatesOf(reader, caller.organizationId, null)).map(presentTemplateSummary)),

    'GET /mailing_lists/:mailing_list_id/templates': async ({ caller, params }) => {
      const list = await mailingListById(reader, caller.organizationId, params.mailing_list_id)
      return ok((await templatesOf(reader, caller.organizationId, list.id)).map(presentTemplateSummary))
    },

    'GET /templates/:id': async ({ caller, params }) => ok(await answer(caller, params.id)),

    'POST /mailing_lists/:mailing_list_id/templates': async ({ caller, params, body }) => {
      const id = await writer.run('campaigns.create', {
        ...scopeOf(caller),
        mailingListId: params.mailing_list_id,
        source: fromScratch,
        campaign: body.template ?? body.campaign
      })
      return ok(await answer(caller, id))
    },

    'PUT /templates/:id': async ({ caller, params, body }) => {
      const changes = body.template ?? body.campaign
      await writer.run('campaigns.update', { ...scopeOf(caller), id: params.id, changes })
      return ok(await answer(caller, params.id))
    },

    'DELETE /templates/:id': async ({ caller, params }) => {
      const { organizationId } = caller
      await writer.run('campaigns.delete', { organizationId, id: params.id, kind: 'template' })
      return ok(null)
    }
  }

  async function answer(caller: Caller, id: number): Promise<TemplateDetail> {
    const row = await campaignById(reader, caller.organizationId, id, 'template')
    return presentTemplate(reader, row, caller.timeZone)
  }
})

function scopeOf({ organizationId, timeZone }: Caller) {
  return { organizationId, timeZone, kind: 'template' as const }
}
