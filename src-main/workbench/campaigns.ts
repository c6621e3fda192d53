import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type Static, Type } from 'typebox'
import { deliveryOf, recipientsOf } from '../api/campaigns/queries.ts'
import {
  campaignById,
  campaignsOfList,
  dispatchOf,
  presentCampaignSummaries
} from '../api/campaigns/queries.ts'
import { mayReadStatistics, withoutStatistics } from '../api/campaigns/routes.ts'
import { CampaignSummary } from '../api/campaigns/schema.ts'
import { envelope, ok } from '../http/envelope.ts'
import { IdParams, Nullable, Timestamp } from '../http/schema.ts'
import { hoursOfCampaign } from '../api/statistics/queries.ts'
import { outboxPath, previewOutboxPath } from '../delivery/outbox.ts'
import { notFound } from '../base/errors.ts'
import { formatOptionalTime } from '../base/times.ts'

/** A campaign as the window lists it. */
const ListedCampaign = Type.Object({
  ...CampaignSummary.properties,
  /** How many it is for; null while they are counted, and before it began. */
  recipients: Nullable(Type.Integer())
})
export type ListedCampaign = Static<typeof ListedCampaign>

const CampaignProgress = Type.Object({
  phase: Nullable(Type.Enum(['everybody', 'split_testing', 'decision_delay', 'winner'])),
  /** How many it is for; null while they are counted. */
  recipients: Nullable(Type.Integer()),
  /** Why it failed, or was paused by a fault. */
  error_message: Nullable(Type.String()),
  /** When the winner of its split test is to be chosen. */
  decides_at: Nullable(Timestamp),
  /** Bytes of the file that its messages are in; null without one. */
  outbox_bytes: Nullable(Type.Integer()),
  hours: Type.Array(
    Type.Object({
      content_id: Type.Integer(),
      /** The beginning of the hour, in UNIX milliseconds. */
      hour: Type.Integer(),
      messages_sent: Type.Integer(),
      opens_unique: Type.Integer(),
      clicks_unique: Type.Integer(),
      bounces_total: Type.Integer(),
      unsubs_unique: Type.Integer()
    })
  )
})
export type CampaignProgress = Static<typeof CampaignProgress>

/** What the window shows of campaigns beyond the API: those of all lists, how sending goes, and the messages themselves. */
export const campaignRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, dataDirectory } = app.context

  app.get(
    '/campaigns',
    {
      config: { access: 'signed_in' },
      schema: {
        hide: true,
        querystring: Type.Object({ mailing_list_id: Type.Optional(Type.Integer()) }),
        response: { 200: envelope(Type.Array(ListedCampaign)) }
      }
    },
    async ({ caller, query }) => {
      const { organizationId, timeZone } = caller
      const rows = await campaignsOfList(reader, organizationId, query.mailing_list_id ?? null, {})
      const recipients = await recipientsOf(
        reader,
        rows.map(({ id }) => id)
      )
      const campaigns = await presentCampaignSummaries(reader, organizationId, rows.reverse(), timeZone)
      const shown = mayReadStatistics(caller) ? campaigns : campaigns.map(withoutStatistics)
      return ok(shown.map((each) => ({ ...each, recipients: recipients.get(each.id) ?? null })))
    }
  )

  app.get(
    '/campaigns/:id/progress',
    {
      config: { access: 'campaign.read_stats' },
      schema: { hide: true, params: IdParams, response: { 200: envelope(CampaignProgress) } }
    },
    async ({ caller, params }) => {
      const { id } = await campaignById(reader, caller.organizationId, params.id)
      const delivery = await deliveryOf(reader, id)
      const dispatch = await dispatchOf(reader, id)
      return ok({
        phase: delivery?.phase ?? null,
        recipients: delivery?.recipients ?? null,
        error_message: dispatch?.error_message ?? null,
        decides_at: formatOptionalTime(delivery?.decides_at ?? null, caller.timeZone),
        outbox_bytes: await sizeOf(outboxPath(dataDirectory, id)),
        hours: await hoursOfCampaign(reader, id)
      })
    }
  )

  app.get(
    '/campaigns/:id/outbox',
    { config: { access: 'campaign.read_stats' }, schema: { hide: true, params: IdParams } },
    async ({ caller, params }, reply) => {
      const { id } = await campaignById(reader, caller.organizationId, params.id)
      return sendFile(reply, outboxPath(dataDirectory, id), `campaign-${id}.mbox`)
    }
  )

  app.get(
    '/previews',
    {
      config: { access: ['campaign.send', 'campaign.update', 'autoresponder.update'] },
      schema: { hide: true }
    },
    async ({ caller }, reply) =>
      sendFile(reply, previewOutboxPath(dataDirectory, caller.organizationId), 'previews.mbox')
  )
}

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
