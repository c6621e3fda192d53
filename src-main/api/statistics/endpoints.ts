import { type Static, Type } from 'typebox'
import { AutoresponderParams } from '../autoresponders/endpoints.ts'
import { envelope, wrappedPageEnvelope } from '../../http/envelope.ts'
import { PageQuery } from '../../http/pagination.ts'
import { IdParams, MailingListParams, TimeInput, withDefault } from '../../http/schema.ts'
import { CampaignReport, LinkStats, MessagesSentReport, StatSummary } from './schema.ts'
import { endpoints } from '../../http/endpoint.ts'

/** docs/api.md, "Statistics". */
const defaultPerPage = 100

const StartedQuery = {
  started_at__start: Type.Optional(TimeInput),
  started_at__end: Type.Optional(TimeInput)
}

const DaysQuery = Type.Object({
  start_date: Type.Optional(Type.String({ description: 'YYYYMMDD' })),
  end_date: Type.Optional(Type.String({ description: 'YYYYMMDD, inclusive' }))
})
export type DaysQuery = Static<typeof DaysQuery>

const messagesSent = { access: 'signed_in', params: IdParams, query: DaysQuery } as const

export const statisticsEndpoints = endpoints('Statistics', {
  'GET /mailing_lists/:mailing_list_id/campaign_statistics': {
    access: 'campaign.read_stats',
    summary: 'Sum up the campaigns of a list that began within a period',
    params: MailingListParams,
    query: Type.Object(StartedQuery),
    answer: envelope(StatSummary)
  },

  'GET /mailing_lists/:mailing_list_id/autoresponders/:autoresponder_id/statistics': {
    access: 'autoresponder.read_stats',
    summary: 'Sum up an autoresponder over some days',
    params: AutoresponderParams,
    query: DaysQuery,
    answer: envelope(StatSummary)
  },

  'GET /campaigns/:id/link_stats': {
    access: 'campaign.read_stats',
    summary: 'List the links of a campaign, and how often they were clicked',
    params: IdParams,
    query: Type.Object({
      url: Type.Optional(Type.String({ description: '* stands for any characters' })),
      content_id: Type.Optional(Type.Integer()),
      ...PageQuery(defaultPerPage)
    }),
    answer: wrappedPageEnvelope(LinkStats)
  },

  'GET /system_campaigns': {
    access: 'system_admin',
    summary: 'Report the campaigns of all organizations',
    query: Type.Object({
      ...StartedQuery,
      exclude_active_campaigns: withDefault(Type.Boolean(), false),
      ...PageQuery(defaultPerPage)
    }),
    answer: wrappedPageEnvelope(CampaignReport)
  },

  'GET /organizations/:id/messages_sent/daily': {
    ...messagesSent,
    summary: 'Report the messages that went out, daily',
    answer: envelope(MessagesSentReport)
  },
  'GET /organizations/:id/messages_sent/monthly': {
    ...messagesSent,
    summary: 'Report the messages that went out, monthly',
    answer: envelope(MessagesSentReport)
  },
  'GET /organizations/:id/messages_sent/daily.csv': {
    ...messagesSent,
    summary: 'The same report as CSV, daily'
  },
  'GET /organizations/:id/messages_sent/monthly.csv': {
    ...messagesSent,
    summary: 'The same report as CSV, monthly'
  }
})
