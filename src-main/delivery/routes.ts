import { autoresponderById, listOfAutoresponder } from '../api/autoresponders/queries.ts'
import { campaignById } from '../api/campaigns/queries.ts'
import { localListById } from '../api/mailing-lists/queries.ts'
import { ok } from '../http/envelope.ts'
import { serveEndpoints } from '../http/serve.ts'
import { autoresponderPlanOf } from './autoresponder-plan.ts'
import { campaignPlanOf, campaignToSend } from './campaign-plan.ts'
import { autoresponderPreviewEndpoints, campaignPreviewEndpoints } from './endpoints.ts'
import { sendPreview } from './previews.ts'

// Previews are messages like any other.

export const campaignPreviewRoutes = serveEndpoints(
  campaignPreviewEndpoints,
  ({ reader, dataDirectory }) => ({
    'POST /campaigns/:id/send_preview': async ({ caller, params, body, server }) => {
      const { id } = await campaignById(reader, caller.organizationId, params.id)
      const campaign = await campaignToSend(reader, id)
      const message = await campaignPlanOf(reader, campaign, server.listeningOrigin)
      await sendPreview(dataDirectory, message, campaign.preview_custom_field_data, body.preview)
      return ok(null)
    }
  })
)

export const autoresponderPreviewRoutes = serveEndpoints(
  autoresponderPreviewEndpoints,
  ({ reader, dataDirectory }) => ({
    'POST /autoresponders/:id/send_preview': async ({ caller, params, body, server }) => {
      const listId = await listOfAutoresponder(reader, caller.organizationId, params.id)
      const list = await localListById(reader, caller.organizationId, listId, 'autoresponders')
      const row = await autoresponderById(reader, listId, params.id)
      const message = await autoresponderPlanOf(reader, list, row, {
        linkBase: server.listeningOrigin,
        timeZone: caller.timeZone
      })
      await sendPreview(dataDirectory, message, list.preview_custom_field_data, body.preview)
      return ok(null)
    }
  })
)
