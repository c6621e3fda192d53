import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { notFound } from '../../base/errors.ts'
import type { Caller } from '../../http/caller.ts'
import { envelope, ok } from '../../http/envelope.ts'
import { mailingListById } from '../mailing-lists/queries.ts'
import { hasPermission, requirePermission } from '../../http/permissions.ts'
import {
  IdParams,
  MailingListParams,
  Reference,
  TimeInput,
  wrapped,
  wrappedBeside
} from '../../http/schema.ts'
import { readTime } from '../statistics/periods.ts'
import {
  campaignById,
  campaignIdOfStat,
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
        from: readTime('started_at__start', query.started_at__start, timeZone),
        before: readTime('started_at__end', query.started_at__end, timeZone)
      })
      const shown = await presentCampaignSummaries(reader, organizationId, rows, timeZone)
      return ok(mayReadStatistics(caller) ? shown : shown.map(withoutStatistics))
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
      const id = await writer.run('campaigns.create', {
        ...scopeOf(caller),
        mailingListId: params.mailing_list_id,
        source,
        campaign
      })
      return ok(await answer(caller, id))
    }
  )

  // A campaign is named by its id, or by the stat_id of its statistics (supplement, section 3).
  for (const { path, params, isRead, idOf } of [
    {
      path: '/campaigns/:id',
      params: IdParams,
      isRead: true,
      idOf: async (_caller: Caller, given: Record<string, number>) => given.id ?? 0
    },
    {
      path: '/campaigns/by_stat/:stat_id',
      params: Type.Object({ stat_id: Type.Integer({ minimum: 1 }) }),
      isRead: true,
      idOf: async (_caller: Caller, given: Record<string, number>) =>
        campaignIdOfStat(reader, given.stat_id ?? 0)
    },
    // An older spelling (supplement, section 3), which has no GET.
    {
      path: '/mailing_lists/:mailing_list_id/campaigns/:campaign_id',
      params: Type.Object({ ...MailingListParams.properties, campaign_id: Type.Integer({ minimum: 1 }) }),
      isRead: false,
      idOf: async (caller: Caller, given: Record<string, number>) => {
        const row = await campaignById(reader, caller.organizationId, given.campaign_id ?? 0)
        if (row.mailing_list_id !== given.mailing_list_id) throw notFound(`campaign ${row.id}`)
        return row.id
      }
    }
  ]) {
    if (isRead)
      app.get(
        path,
        {
          config: { access: 'signed_in' },
          schema: {
            tags,
            summary: 'Read a campaign',
            params,
            querystring: SendIdQuery,
            response: { 200: envelope(CampaignDetail) }
          }
        },
        async ({ caller, params: given, query }) =>
          ok(await answer(caller, await idOf(caller, given), query.include_engine_sendid))
      )

    app.put(
      path,
      {
        config: { access: 'campaign.update' },
        schema: {
          tags,
          summary: 'Change a campaign that has not begun',
          params,
          body: wrapped('campaign', CampaignChanges),
          response: { 200: envelope(CampaignDetail) }
        }
      },
      async ({ caller, params: given, body }) => {
        const id = await idOf(caller, given)
        requireToSend(caller, body.campaign)
        await requireToPause(caller, id, body.campaign.dispatch_attributes?.paused)
        await writer.run('campaigns.update', { ...scopeOf(caller), id, changes: body.campaign })
        return ok(await answer(caller, id))
      }
    )

    for (const [action, command, summary] of [
      ['pause', 'campaigns.pause', 'Hold a campaign that is scheduled or being sent'],
      ['resume', 'campaigns.resume', 'Let a paused campaign go on']
    ] as const) {
      app.post(
        `${path}/${action}`,
        {
          config: { access: 'campaign.update_state' },
          schema: { tags, summary, params, response: { 200: envelope(CampaignDetail) } }
        },
        async ({ caller, params: given }) => changeState(caller, command, await idOf(caller, given))
      )
    }
  }

  app.post(
    '/campaigns/:id/cancel',
    {
      config: { access: 'campaign.update_state' },
      schema: {
        tags,
        summary: 'End a campaign for good',
        params: IdParams,
        response: { 200: envelope(CampaignDetail) }
      }
    },
    async ({ caller, params }) => changeState(caller, 'campaigns.cancel', params.id)
  )

  app.delete(
    '/campaigns/:id',
    {
      config: { access: 'campaign.delete' },
      schema: {
        tags,
        summary: 'Delete a campaign that is not being sent',
        params: IdParams,
        response: { 200: envelope(Type.Object({ campaign: Reference })) }
      }
    },
    async ({ caller, params }) => {
      const { organizationId } = caller
      const campaign = await writer.run('campaigns.delete', {
        organizationId,
        id: params.id,
        kind: 'campaign'
      })
      return ok({ campaign })
    }
  )

  async function changeState(
    caller: Caller,
    command: 'campaigns.pause' | 'campaigns.resume' | 'campaigns.cancel',
    id: number
  ) {
    await writer.run(command, { organizationId: caller.organizationId, id })
    return ok(await answer(caller, id))
  }

  async function answer(caller: Caller, id: number, withEngineSendId = false): Promise<CampaignDetail> {
    const row = await campaignById(reader, caller.organizationId, id)
    const shown = await presentCampaign(reader, row, caller.timeZone, { withEngineSendId })
    return mayReadStatistics(caller) ? shown : withoutStatisticsOfDetail(shown)
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

/** Statistics are for those who may read them, wherever they stand (spec, "User", permissions). */
export function mayReadStatistics(caller: Caller): boolean {
  return hasPermission(caller, 'campaign.read_stats')
}

export function withoutStatistics<Campaign extends CampaignSummary>(campaign: Campaign): Campaign {
  return { ...campaign, stats: null }
}

function withoutStatisticsOfDetail(campaign: CampaignDetail): CampaignDetail {
  const { automatic_winner_selection: selection } = campaign
  return {
    ...campaign,
    stat_summary: null,
    content_stats: campaign.content_stats.map((each) => ({ ...each, stat_summary: null })),
    automatic_winner_selection: selection && { ...selection, snapshots: [] }
  }
}
