import { presentStored } from '../../base/stored-refusal.ts'
import type { FastifyReply } from 'fastify'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { deliveriesOf, deliveryOf } from '../../api/campaigns/queries.ts'
import {
  campaignById,
  campaignPage,
  campaignsOfList,
  dispatchOf,
  presentCampaignSummaries,
  templatesOf
} from '../../api/campaigns/queries.ts'
import { mailingListById } from '../../api/mailing-lists/queries.ts'
import { mayReadStatistics, withoutStatistics } from '../../api/campaigns/routes.ts'
import { ok, okPage } from '../../http/envelope.ts'
import { limitPageSize } from '../../http/pagination.ts'
import { requireAccess } from '../../http/permissions.ts'
import { hoursOfCampaign, peopleOfCampaign, keepsRecipients } from '../../api/statistics/queries.ts'
import { outboxPath, previewOutboxPath } from '../../delivery/outbox.ts'
import { notFound } from '../../base/errors.ts'
import { formatOptionalTime } from '../../base/times.ts'
import { campaignEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

/** Campaigns that are listed at once. */
const maxPageSize = 500

/**
 * What the window shows of campaigns beyond the API: those of all lists, the progress of sending, and the
 * messages.
 */
export const campaignRoutes = serveEndpoints(campaignEndpoints, ({ reader, writer, dataDirectory }) => ({
  'GET /campaigns': async ({ caller, query }) => {
    const { organizationId, timeZone } = caller
    limitPageSize(query.per_page, maxPageSize)
    const choice = {
      mailingListId: query.mailing_list_id ?? null,
      isArchived: query.archived,
      isPending: query.is_pending
    }
    const { rows, total } = await campaignPage(reader, organizationId, choice, query)
    const deliveries = await deliveriesOf(
      reader,
      rows.map(({ id }) => id)
    )
    const campaigns = await presentCampaignSummaries(reader, organizationId, rows, timeZone)
    const shown = mayReadStatistics(caller) ? campaigns : campaigns.map(withoutStatistics)
    const listed = shown.map((each) => ({
      ...each,
      recipients: deliveries.get(each.id)?.recipients ?? null,
      by_smtp: deliveries.get(each.id)?.transport === 'smtp'
    }))
    return okPage(listed, query, total)
  },

  'GET /mailing_lists/:mailing_list_id/campaign_names': async ({ caller, params }) => {
    const list = await mailingListById(reader, caller.organizationId, params.mailing_list_id)
    const rows = await campaignsOfList(reader, list.organization_id, list.id, {})
    return ok(rows.map(({ id, name }) => ({ id, name })).reverse())
  },

  'GET /mailing_lists/:mailing_list_id/templates': async ({ caller, params }) => {
    const list = await mailingListById(reader, caller.organizationId, params.mailing_list_id)
    const rows = await templatesOf(reader, list.organization_id, list.id)
    return ok(rows.map(({ id, name, archived }) => ({ id, name, archived: archived === 1 })))
  },

  'POST /campaigns/:id/duplicate': async ({ caller, params, body }) => {
    const { organizationId } = caller
    return ok({
      id: await writer.run('campaigns.duplicate', { organizationId, id: params.id, name: body.name })
    })
  },

  'GET /campaigns/:id/progress': async ({ caller, params }) => {
    const { id } = await campaignById(reader, caller.organizationId, params.id)
    const delivery = await deliveryOf(reader, id)
    const dispatch = await dispatchOf(reader, id)
    return ok({
      phase: delivery?.phase ?? null,
      recipients: delivery?.recipients ?? null,
      ...presentStored(dispatch?.error_message ?? null),
      decides_at: formatOptionalTime(delivery?.decides_at ?? null, caller.timeZone),
      keeps_recipients: await keepsRecipients(reader, id),
      outbox_bytes: await sizeOf(outboxPath(dataDirectory, id)),
      people: await peopleOfCampaign(reader, id),
      hours: await hoursOfCampaign(reader, id)
    })
  },

  'GET /campaigns/:id/outbox': async ({ caller, params }, reply) => {
    requireAccess(caller, 'campaign.read_stats')
    const { id } = await campaignById(reader, caller.organizationId, params.id)
    return sendFile(reply, outboxPath(dataDirectory, id), `campaign-${id}.mbox`)
  },

  'GET /previews': async ({ caller }, reply) => {
    requireAccess(caller, ['campaign.send', 'campaign.update', 'autoresponder.update'])
    return sendFile(reply, previewOutboxPath(dataDirectory, caller.organizationId), 'previews.mbox')
  }
}))

/** @throws ApiError not_found where there is no file */
async function sendFile(reply: FastifyReply, path: string, name: string): Promise<FastifyReply> {
  if ((await sizeOf(path)) === null) throw notFound(name)
  return reply
    .type('application/mbox')
    .header('Content-Disposition', `attachment; filename="${name}"`)
    .send(createReadStream(path))
}

/** @returns bytes; null where there is no file */
async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}
