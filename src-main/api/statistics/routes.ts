import type { FastifyReply } from 'fastify'
import { notFound } from '../../base/errors.ts'
import type { Caller } from '../../http/caller.ts'
import { autoresponderById } from '../autoresponders/queries.ts'
import { campaignById, campaignsOfList } from '../campaigns/queries.ts'
import { ok, okPage } from '../../http/envelope.ts'
import { organizationById, type OrganizationRow } from '../organizations/queries.ts'
import { localListById, mailingListById } from '../mailing-lists/queries.ts'
import { limitPageSize } from '../../http/pagination.ts'
import { readDays, readTime } from './periods.ts'
import {
  linksOfCampaign,
  messagesSent,
  statisticsOfCampaigns,
  summaryOfAutoresponder,
  summaryOfSlices,
  systemCampaigns
} from './queries.ts'
import { messagesSentReport, reportAsCsv } from './reports.ts'
import { type DaysQuery, statisticsEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

/** docs/api.md, "Statistics". */
const maxPerPage = 500

export const statisticsRoutes = serveEndpoints(statisticsEndpoints, ({ reader }) => {
  return {
    'GET /mailing_lists/:mailing_list_id/campaign_statistics': async ({ caller, params, query }) => {
      const { organizationId, timeZone } = caller
      const list = await mailingListById(reader, organizationId, params.mailing_list_id)
      const campaigns = await campaignsOfList(reader, organizationId, list.id, {
        from: readTime('started_at__start', query.started_at__start, timeZone) ?? list.created_at,
        before: readTime('started_at__end', query.started_at__end, timeZone) ?? Date.now() + 1
      })
      const ids = campaigns.map(({ id }) => id)
      const statistics = await statisticsOfCampaigns(reader, ids)
      return ok(summaryOfSlices([...statistics.values()].flatMap(({ slices }) => slices)))
    },

    'GET /mailing_lists/:mailing_list_id/autoresponders/:autoresponder_id/statistics': async ({
      caller,
      params,
      query
    }) => {
      const { organizationId, timeZone } = caller
      const list = await localListById(reader, organizationId, params.mailing_list_id, 'autoresponders')
      const { id } = await autoresponderById(reader, list.id, params.autoresponder_id)
      return ok(await summaryOfAutoresponder(reader, id, readDays(query, timeZone, Date.now())))
    },

    'GET /campaigns/:id/link_stats': async ({ caller, params, query }) => {
      limitPageSize(query.per_page, maxPerPage)
      const { id } = await campaignById(reader, caller.organizationId, params.id)
      const filter = { contentId: query.content_id, url: query.url }
      const { rows, total } = await linksOfCampaign(reader, id, filter, query)
      return okPage({ all_unclicked_links_recorded: true, links: rows }, query, total)
    },

    'GET /system_campaigns': async ({ caller, query }) => {
      limitPageSize(query.per_page, maxPerPage)
      const filter = {
        from: readTime('started_at__start', query.started_at__start, caller.timeZone),
        before: readTime('started_at__end', query.started_at__end, caller.timeZone),
        excludeActive: query.exclude_active_campaigns
      }
      const { rows, total } = await systemCampaigns(reader, filter, query)
      return okPage({ campaign_report: rows }, query, total)
    },

    'GET /organizations/:id/messages_sent/daily': async ({ caller, params, query }) =>
      ok({ report: (await report(caller, params, query, 'daily')).rows }),
    'GET /organizations/:id/messages_sent/monthly': async ({ caller, params, query }) =>
      ok({ report: (await report(caller, params, query, 'monthly')).rows }),
    'GET /organizations/:id/messages_sent/daily.csv': async ({ caller, params, query }, reply) =>
      sendAsCsv(reply, await report(caller, params, query, 'daily')),
    'GET /organizations/:id/messages_sent/monthly.csv': async ({ caller, params, query }, reply) =>
      sendAsCsv(reply, await report(caller, params, query, 'monthly'))
  }

  async function report(caller: Caller, { id }: { id: number }, query: DaysQuery, unit: 'daily' | 'monthly') {
    const organization = await organizationOf(caller, id)
    const hours = await messagesSent(reader, organization.id, readDays(query, caller.timeZone, Date.now()))
    return { organization, rows: messagesSentReport(hours, unit, caller.timeZone) }
  }

  /** Only system administrators may request another organization. */
  async function organizationOf({ organizationId, role }: Caller, id: number) {
    if (role !== 'system_admin' && id !== organizationId) throw notFound('organization', id)
    return organizationById(reader, id)
  }
})

function sendAsCsv(
  reply: FastifyReply,
  { organization, rows }: { organization: OrganizationRow; rows: ReturnType<typeof messagesSentReport> }
): FastifyReply {
  return reply.type('text/csv; charset=utf-8').send(reportAsCsv(rows, organization))
}
