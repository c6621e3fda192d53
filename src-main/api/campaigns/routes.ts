import { notFound } from '../../base/errors.ts'
import type { Caller } from '../../http/caller.ts'
import { ok } from '../../http/envelope.ts'
import { mailingListById } from '../mailing-lists/queries.ts'
import { hasPermission } from '../../http/access.ts'
import { requireAccess } from '../../http/permissions.ts'
import { readTime } from '../statistics/periods.ts'
import {
  campaignById,
  campaignIdOfStat,
  campaignsOfList,
  dispatchOf,
  presentCampaign,
  presentCampaignSummaries
} from './queries.ts'
import { CampaignChanges, CampaignDetail, CampaignSummary } from './schema.ts'
import { logOf } from './log.ts'
import { campaignEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

export const campaignRoutes = serveEndpoints(campaignEndpoints, ({ reader, writer }) => {
  return {
    'GET /mailing_lists/:mailing_list_id/campaigns': async ({ caller, params, query }) => {
      const { organizationId, timeZone } = caller
      await mailingListById(reader, organizationId, params.mailing_list_id)
      const rows = await campaignsOfList(reader, organizationId, params.mailing_list_id, {
        from: readTime('started_at__start', query.started_at__start, timeZone),
        before: readTime('started_at__end', query.started_at__end, timeZone)
      })
      const shown = await presentCampaignSummaries(reader, organizationId, rows, timeZone)
      return ok(mayReadStatistics(caller) ? shown : shown.map(withoutStatistics))
    },

    'POST /mailing_lists/:mailing_list_id/campaigns': async ({ caller, params, body }) => {
      const { campaign, ...source } = body
      requireToSend(caller, campaign)
      const id = await writer.run('campaigns.create', {
        ...scopeOf(caller),
        mailingListId: params.mailing_list_id,
        source,
        campaign
      })
      return ok(await answer(caller, id))
    },

    'GET /campaigns/:id': async ({ caller, params, query }) =>
      ok(await answer(caller, params.id, query.include_engine_sendid)),
    'PUT /campaigns/:id': async ({ caller, params, body }) => update(caller, params.id, body.campaign),
    'POST /campaigns/:id/pause': async ({ caller, params }) =>
      changeState(caller, 'campaigns.pause', params.id),
    'POST /campaigns/:id/resume': async ({ caller, params }) =>
      changeState(caller, 'campaigns.resume', params.id),

    'GET /campaigns/by_stat/:stat_id': async ({ caller, params, query }) =>
      ok(await answer(caller, await ofStat(params), query.include_engine_sendid)),
    'PUT /campaigns/by_stat/:stat_id': async ({ caller, params, body }) =>
      update(caller, await ofStat(params), body.campaign),
    'POST /campaigns/by_stat/:stat_id/pause': async ({ caller, params }) =>
      changeState(caller, 'campaigns.pause', await ofStat(params)),
    'POST /campaigns/by_stat/:stat_id/resume': async ({ caller, params }) =>
      changeState(caller, 'campaigns.resume', await ofStat(params)),

    'PUT /mailing_lists/:mailing_list_id/campaigns/:campaign_id': async ({ caller, params, body }) =>
      update(caller, await ofList(caller, params), body.campaign),
    'POST /mailing_lists/:mailing_list_id/campaigns/:campaign_id/pause': async ({ caller, params }) =>
      changeState(caller, 'campaigns.pause', await ofList(caller, params)),
    'POST /mailing_lists/:mailing_list_id/campaigns/:campaign_id/resume': async ({ caller, params }) =>
      changeState(caller, 'campaigns.resume', await ofList(caller, params)),

    'GET /campaigns/:id/history': async ({ caller, params }) => {
      const { id } = await campaignById(reader, caller.organizationId, params.id)
      return ok(await logOf(reader, id, caller.timeZone))
    },

    'PUT /campaigns/:id/speed': async ({ caller, params: { id }, body }) => {
      const { speed } = body.campaign
      await writer.run('campaigns.changeSpeed', { organizationId: caller.organizationId, id, speed })
      return ok(await answer(caller, id))
    },

    'POST /campaigns/:id/cancel': async ({ caller, params }) =>
      changeState(caller, 'campaigns.cancel', params.id),

    'DELETE /campaigns/:id': async ({ caller, params }) => {
      const { organizationId } = caller
      const campaign = await writer.run('campaigns.delete', {
        organizationId,
        id: params.id,
        kind: 'campaign'
      })
      return ok({ campaign })
    }
  }

  function ofStat({ stat_id: statId }: { stat_id: number }): Promise<number> {
    return campaignIdOfStat(reader, statId)
  }

  async function ofList(
    { organizationId }: Caller,
    given: { mailing_list_id: number; campaign_id: number }
  ): Promise<number> {
    const row = await campaignById(reader, organizationId, given.campaign_id)
    if (row.mailing_list_id !== given.mailing_list_id) throw notFound('campaign', row.id)
    return row.id
  }

  async function update(caller: Caller, id: number, changes: CampaignChanges) {
    requireToSend(caller, changes)
    await requireToPause(caller, id, changes.dispatch_attributes?.paused)
    await writer.run('campaigns.update', { ...scopeOf(caller), id, changes })
    return ok(await answer(caller, id))
  }

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

  /** An update that pauses or resumes needs the permission of the corresponding action. */
  async function requireToPause(caller: Caller, id: number, paused: boolean | undefined): Promise<void> {
    if (paused === undefined) return
    const dispatch = await dispatchOf(reader, id)
    if ((dispatch?.paused === 1) !== paused) requireAccess(caller, 'campaign.update_state')
  }
})

function scopeOf({ organizationId, timeZone }: Caller) {
  return { organizationId, timeZone, kind: 'campaign' as const }
}

/** Scheduling a campaign needs the permission to send it. */
function requireToSend(caller: Caller, { dispatch_attributes: dispatch }: CampaignChanges): void {
  const { begins_at: beginsAt } = dispatch ?? {}
  if (beginsAt !== undefined && beginsAt !== null && beginsAt !== '') requireAccess(caller, 'campaign.send')
}

/** True if the caller may read statistics, wherever they are shown (docs/api.md, "Users"). */
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
