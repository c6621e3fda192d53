import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { autoresponderById, listOfAutoresponder } from '../api/autoresponders/queries.ts'
import { campaignById } from '../api/campaigns/queries.ts'
import { localListById } from '../api/mailing-lists/queries.ts'
import { envelope, ok } from '../http/envelope.ts'
import { IdParams, wrapped } from '../http/schema.ts'
import { autoresponderPlanOf } from './autoresponder-plan.ts'
import { campaignPlanOf, campaignToSend } from './campaign-plan.ts'
import { previewOutboxPath } from './outbox.ts'
import { PreviewInput, sendPreview } from './previews.ts'

/** Previews of campaigns and autoresponders, which are messages like any other. */
export const previewRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, dataDirectory } = app.context

  app.post(
    '/campaigns/:id/send_preview',
    {
      config: { access: ['campaign.send', 'campaign.update'] },
      schema: {
        tags: ['Campaigns'],
        summary: 'Send each content of a campaign to some addresses',
        params: IdParams,
        body: wrapped('preview', PreviewInput),
        response: { 200: envelope(Type.Null()) }
      }
    },
    async ({ caller, params, body }) => {
      const { id } = await campaignById(reader, caller.organizationId, params.id)
      const campaign = await campaignToSend(reader, id)
      const message = await campaignPlanOf(reader, campaign, app.listeningOrigin)
      await sendPreview(
        previewOutboxPath(dataDirectory, caller.organizationId),
        message,
        campaign.preview_custom_field_data,
        body.preview
      )
      return ok(null)
    }
  )

  app.post(
    '/autoresponders/:id/send_preview',
    {
      config: { access: 'autoresponder.update' },
      schema: {
        tags: ['Autoresponders'],
        summary: 'Send the content of an autoresponder to some addresses',
        params: IdParams,
        body: wrapped('preview', PreviewInput),
        response: { 200: envelope(Type.Null()) }
      }
    },
    async ({ caller, params, body }) => {
      const listId = await listOfAutoresponder(reader, caller.organizationId, params.id)
      const list = await localListById(reader, caller.organizationId, listId, 'autoresponders')
      const row = await autoresponderById(reader, listId, params.id)
      const message = await autoresponderPlanOf(reader, list, row, {
        linkBase: app.listeningOrigin,
        timeZone: caller.timeZone
      })
      await sendPreview(
        previewOutboxPath(dataDirectory, caller.organizationId),
        message,
        list.preview_custom_field_data,
        body.preview
      )
      return ok(null)
    }
  )
}
