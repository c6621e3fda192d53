import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { notFound } from '../../base/errors.ts'
import type { Caller } from '../../http/caller.ts'
import { autoresponderById } from '../autoresponders/queries.ts'
import { campaignById, campaignsOfList } from '../campaigns/queries.ts'
import { envelope, ok, okPage, wrappedPageEnvelope } from '../../http/envelope.ts'
import { organizationById } from '../organizations/queries.ts'
import { localListById, mailingListById } from '../mailing-lists/queries.ts'
import { limitPageSize, PageQuery } from '../../http/pagination.ts'
import { IdParams, MailingListParams, TimeInput } from '../../http/schema.ts'
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
import { CampaignReport, LinkStats, MessagesSentReport, StatSummary } from './schema.ts'

const tags = ['Statistics']
/** Supplement, section 3. */
const [defaultPerPage, maxPerPage] = [100, 500]

const StartedQuery = {
  started_at__start: Type.Optional(TimeInput),
  started_at__end: Type.Optional(TimeInput)
}
const DaysQuery = Type.Object({
  start_date: Type.Optional(Type.String({ description: 'YYYYMMDD' })),
  end_date: Type.Optional(Type.String({ description: 'YYYYMMDD, inclusive' }))
})

export const statisticsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader } = app.context

  app.get(
    '/mailing_lists/:mailing_list_id/campaign_statistics',
    {
      config: { access: 'campaign.read_stats' },
      schema: {
        tags,
        summary: 'Sum up the campaigns of a list that began within a period',
        params: MailingListParams,
        querystring: Type.Object(StartedQuery),
        response: { 200: envelope(StatSummary) }
      }
    },
    async ({ caller, params, query }) => {
      const { organizationId, timeZone } = caller
      const list = await mailingListById(reader, organizationId, params.mailing_list_id)
      const campaigns = await campaignsOfList(reader, organizationId, list.id, {
        from: readTime('started_at__start', query.started_at__start, timeZone) ?? list.created_at,
        before: readTime('started_at__end', query.started_at__end, timeZone) ?? Date.now() + 1
      })
      const ids = campaigns.map(({ id }) => id)
      const statistics = await statisticsOfCampaigns(reader, ids)
      return ok(summaryOfSlices([...statistics.values()].flatMap(({ slices }) => slices)))
    }
  )

  app.get(
    '/mailing_lists/:mailing_list_id/autoresponders/:autoresponder_id/statistics',
    {
      config: { access: 'autoresponder.read_stats' },
      schema: {
        tags,
        summary: 'Sum up an autoresponder over some days',
        params: Type.Object({
          ...MailingListParams.properties,
          autoresponder_id: Type.Integer({ minimum: 1 })
        }),
        querystring: DaysQuery,
        response: { 200: envelope(StatSummary) }
      }
    },
    async ({ caller, params, query }) => {
      const { organizationId, timeZone } = caller
      const list = await localListById(reader, organizationId, params.mailing_list_id, 'autoresponders')
      const { id } = await autoresponderById(reader, list.id, params.autoresponder_id)
      return ok(await summaryOfAutoresponder(reader, id, readDays(query, timeZone, Date.now())))
    }
  )

  app.get(
    '/campaigns/:id/link_stats',
    {
      config: { access: 'campaign.read_stats' },
      schema: {
        tags,
        summary: 'List the links of a campaign, and how often they were clicked',
        params: IdParams,
        querystring: Type.Object({
          url: Type.Optional(Type.String({ description: '* stands for any characters' })),
          content_id: Type.Optional(Type.Integer()),
          ...PageQuery(defaultPerPage)
        }),
        response: { 200: wrappedPageEnvelope(LinkStats) }
      }
    },
    async ({ caller, params, query }) => {
      limitPageSize(query.per_page, maxPerPage)
      const { id } = await campaignById(reader, caller.organizationId, params.id)
      const filter = { contentId: query.content_id, url: query.url }
      const { rows, total } = await linksOfCampaign(reader, id, filter, query)
      return okPage({ all_unclicked_links_recorded: true, links: rows }, query, total)
    }
  )

  app.get(
    '/system_campaigns',
    {
      config: { access: 'system_admin' },
      schema: {
        tags,
        summary: 'Report the campaigns of all organizations',
        querystring: Type.Object({
          ...StartedQuery,
          exclude_active_campaigns: Type.Boolean({ default: false }),
          ...PageQuery(defaultPerPage)
        }),
        response: { 200: wrappedPageEnvelope(CampaignReport) }
      }
    },
    async ({ caller, query }) => {
      limitPageSize(query.per_page, maxPerPage)
      const filter = {
        from: readTime('started_at__start', query.started_at__start, caller.timeZone),
        before: readTime('started_at__end', query.started_at__end, caller.timeZone),
        excludeActive: query.exclude_active_campaigns
      }
      const { rows, total } = await systemCampaigns(reader, filter, query)
      return okPage({ campaign_report: rows }, query, total)
    }
  )

  for (const unit of ['daily', 'monthly'] as const) {
    const report = {
      config: { access: 'signed_in' },
      schema: { tags, params: IdParams, querystring: DaysQuery }
    } as const

    app.get(
      `/organizations/:id/messages_sent/${unit}`,
      {
        ...report,
        schema: {
          ...report.schema,
          summary: `Report the messages that went out, ${unit}`,
          response: { 200: envelope(MessagesSentReport) }
        }
      },
      async ({ caller, params, query }) => {
        const { id } = await organizationOf(caller, params.id)
        const hours = await messagesSent(reader, id, readDays(query, caller.timeZone, Date.now()))
        return ok({ report: messagesSentReport(hours, unit, caller.timeZone) })
      }
    )

    app.get(
      `/organizations/:id/messages_sent/${unit}.csv`,
      { ...report, schema: { ...report.schema, summary: `The same report as CSV, ${unit}` } },
      async ({ caller, params, query }, reply) => {
        const organization = await organizationOf(caller, params.id)
        const hours = await messagesSent(
          reader,
          organization.id,
          readDays(query, caller.timeZone, Date.now())
        )
        return reply
          .type('text/csv; charset=utf-8')
          .send(reportAsCsv(messagesSentReport(hours, unit, caller.timeZone), organization))
      }
    )
  }

  /** The caller's own organization; system administrators may ask for any. */
  async function organizationOf({ organizationId, role }: Caller, id: number) {
    if (role !== 'system_admin' && id !== organizationId) throw notFound(`organization ${id}`)
    return organizationById(reader, id)
  }
}
