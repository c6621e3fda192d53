import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { parseTimeInput } from '../../dates.ts'
import { validationFailed } from '../../errors.ts'
import type { Caller } from '../accounts/queries.ts'
import { envelope, ok } from '../envelope.ts'
import { mailingListById } from '../mailing-lists/queries.ts'
import { requirePermission } from '../permissions.ts'
import { IdParams, MailingListParams, TimeInput, wrapped, wrappedBeside } from '../schema.ts'
import {
  campaignById,
  campaignsOfList,
  dispatchOf,
  presentCampaign,
  presentCampaignSummaries
} from './queries.ts'
import { CampaignChanges, CampaignDetail, CampaignInput, CampaignSummary } from './schema.ts'

const tags = ['Campaigns']
const SendIdQuery = Type.Object({ include_engine_sendid: Type.Boolean({ default: false }) })

export const campaignRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer } = app.context

  app.get(
    '/mailing_lists/:mailing_list_id/campaigns',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'List the campaigns of a list',
        params: MailingListParams,
        querystring: Type.Object({
          started_at__start: Type.Optional(TimeInput),
          started_at__end: Type.Optional(TimeInput)
        }),
        response: { 200: envelope(Type.Array(CampaignSummary)) }
      }
    },
    async ({ caller, params, query }) => {
      const { organizationId, timeZone } = caller
      await mailingListById(reader, organizationId, params.mailing_list_id)
      const rows = await campaignsOfList(reader, organizationId, params.mailing_list_id, {
        from: readFilter('started_at__start', query.started_at__start, timeZone),
        before: readFilter('started_at__end', query.started_at__end, timeZone)
      })
      return ok(await presentCampaignSummaries(reader, organizationId, rows, timeZone))
    }
  )

  app.post(
    '/mailing_lists/:mailing_list_id/campaigns',
    {
      config: { access: 'campaign.create' },
      schema: {
        tags,
        summary: 'Create a campaign, from scratch or from a template',
        params: MailingListParams,
        body: wrappedBeside('campaign', CampaignChanges, CampaignInput.properties),
        response: { 200: envelope(CampaignDetail) }
      }
    },
    async ({ caller, params, body }) => {
      const { campaign, ...source } = body
      requireToSend(caller, campaign)
      const id = await writer.run('createCampaign', {
        ...scopeOf(caller),
        mailingListId: params.mailing_list_id,
        source,
        campaign
      })
      return ok(await answer(caller, id))
    }
  )

  app.get(
    '/campaigns/:id',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'Read a campaign',
        params: IdParams,
        querystring: SendIdQuery,
        response: { 200: envelope(CampaignDetail) }
      }
    },
    async ({ caller, params, query }) => ok(await answer(caller, params.id, query.include_engine_sendid))
  )

  app.put(
    '/campaigns/:id',
    {
      config: { access: 'campaign.update' },
      schema: {
        tags,
        summary: 'Change a campaign that has not begun',
        params: IdParams,
        body: wrapped('campaign', CampaignChanges),
        response: { 200: envelope(CampaignDetail) }
      }
    },
    async ({ caller, params, body }) => {
      requireToSend(caller, body.campaign)
      await requireToPause(caller, params.id, body.campaign.dispatch_attributes?.paused)
      await writer.run('updateCampaign', { ...scopeOf(caller), id: params.id, changes: body.campaign })
      return ok(await answer(caller, params.id))
    }
  )

  app.delete(
    '/campaigns/:id',
    {
      config: { access: 'campaign.delete' },
      schema: {
        tags,
        summary: 'Delete a campaign that is not being sent',
        params: IdParams,
        response: { 200: envelope(Type.Null()) }
      }
    },
    async ({ caller, params }) => {
      const { organizationId } = caller
      await writer.run('deleteCampaign', { organizationId, id: params.id, kind: 'campaign' })
      return ok(null)
    }
  )

  for (const [action, command, summary] of [
    ['pause', 'pauseCampaign', 'Hold a campaign that is scheduled or being sent'],
    ['resume', 'resumeCampaign', 'Let a paused campaign go on'],
    ['cancel', 'cancelCampaign', 'End a campaign for good']
  ] as const) {
    app.post(
      `/campaigns/:id/${action}`,
      {
        config: { access: 'campaign.update_state' },
        schema: { tags, summary, params: IdParams, response: { 200: envelope(CampaignDetail) } }
      },
      async ({ caller, params }) => {
        await writer.run(command, { organizationId: caller.organizationId, id: params.id })
        return ok(await answer(caller, params.id))
      }
    )
  }

  async function answer(caller: Caller, id: number, withEngineSendId = false): Promise<CampaignDetail> {
    const row = await campaignById(reader, caller.organizationId, id)
    return presentCampaign(reader, row, caller.timeZone, { withEngineSendId })
  }

  /** An update that pauses, or lets go on, does what the actions of that name do. */
  async function requireToPause(caller: Caller, id: number, paused: boolean | undefined): Promise<void> {
    if (paused === undefined) return
    const dispatch = await dispatchOf(reader, id)
    if ((dispatch?.paused === 1) !== paused) requirePermission(caller, 'campaign.update_state')
  }
}

function scopeOf({ organizationId, timeZone }: Caller) {
  return { organizationId, timeZone, kind: 'campaign' as const }
}

/** To give a campaign a time to begin at is to send it. */
function requireToSend(caller: Caller, { dispatch_attributes: dispatch }: CampaignChanges): void {
  const { begins_at: beginsAt } = dispatch ?? {}
  if (beginsAt !== undefined && beginsAt !== null && beginsAt !== '')
    requirePermission(caller, 'campaign.send')
}

/** @returns UNIX milliseconds */
function readFilter(name: string, given: string | number | undefined, timeZone: string): number | undefined {
  if (given === undefined) return undefined
  const time = parseTimeInput(given, timeZone)
  if (time === null) throw validationFailed(`${name} must be a UNIX timestamp or an ISO 8601 time`)
  return time
}
