import { type Static, type TInteger, Type } from 'typebox'
import { Nullable, Reference, Timestamp } from '../../http/schema.ts'

/** The counters of each content; all other figures of a summary are derived from them. */
export const counterNames = [
  'total_messages',
  'total_success',
  'total_failure',
  'total_failure_toolong',
  'messages_sent',
  'messages_html',
  'messages_text',
  'sent_text',
  'sent_html',
  'sent_multipart',
  'delivered',
  'skips_error',
  'skips_request',
  'bounces_total',
  'bounces_unique_hard',
  'bounces_unique_soft',
  'bounces_unique_other',
  'bounces_unique_local',
  'bounces_unique_remote',
  'bounces_status_updated',
  'clicks_total',
  'clicks_unique',
  'clicks_unique_by_link',
  'opens_total',
  'opens_unique',
  'scomps_total',
  'scomps_unique',
  'scomps_status_updated',
  'unsubs_total',
  'unsubs_unique',
  'unsubs_status_updated'
] as const
export type CounterName = (typeof counterNames)[number]

export type Counters = Record<CounterName, number>

/** The counts of a summary (docs/api.md, "Statistics"), in the order of the answer. */
export const countNames = [
  'sent_text',
  'sent_html',
  'sent_multipart',
  'messages_sent',
  'messages_html',
  'messages_text',
  'bounces_total',
  'bounces_unique',
  'bounces_unique_hard',
  'bounces_unique_soft',
  'bounces_unique_other',
  'bounces_unique_local',
  'bounces_unique_remote',
  'bounces_status_updated',
  'bounced',
  'duplicate_bounces',
  'unbounced',
  'clicks_total',
  'clicks_unique',
  'clicks_unique_by_link',
  'duplicate_clicks',
  'unclicked',
  'opens_total',
  'opens_unique',
  'unopened',
  'duplicate_opens',
  'scomps_total',
  'scomps_unique',
  'scomps_status_updated',
  'duplicate_scomps',
  'unsubs_total',
  'unsubs_unique',
  'unsubs_status_updated',
  'duplicate_unsubs',
  'skips_error',
  'skips_request',
  'total_messages',
  'total_success',
  'total_failure',
  'total_failure_toolong',
  'accepted',
  'in_queue',
  'max_unique_activities'
] as const
export type CountName = (typeof countNames)[number]

export const rateNames = [
  'bounce_rate',
  'bounce_rate_hard',
  'bounce_rate_soft',
  'bounce_rate_other',
  'bounce_local_rate',
  'click_rate',
  'click_to_open_rate',
  'open_rate',
  'open_ratio',
  'scomp_rate',
  'unsub_rate',
  'accepted_rate',
  'in_queue_rate'
] as const
export type RateName = (typeof rateNames)[number]

const integers = Object.fromEntries(countNames.map((name) => [name, Type.Integer()])) as Record<
  CountName,
  TInteger
>
const rates = Object.fromEntries(rateNames.map((name) => [name, Type.Number()])) as Record<
  RateName,
  ReturnType<typeof Type.Number>
>

/** The counts of a summary without rates, as in snapshots (docs/api.md, "Statistics"). */
export const StatisticCounts = Type.Object({
  ...integers,
  bounces_unique_by_code: Nullable(Type.Record(Type.String(), Type.Integer()))
})
export type StatisticCounts = Static<typeof StatisticCounts>

/** docs/api.md, "Statistics". */
export const StatSummary = Type.Object({ ...StatisticCounts.properties, ...rates })
export type StatSummary = Static<typeof StatSummary>

/** The links of a campaign (docs/api.md, "Statistics"). */
export type LinkStats = Static<typeof LinkStats>
export const LinkStats = Type.Object({
  all_unclicked_links_recorded: Type.Boolean(),
  links: Type.Array(
    Type.Object({
      link_id: Type.Integer(),
      url: Type.String(),
      clicks_total: Type.Integer(),
      clicks_unique: Type.Integer(),
      clicks_unique_by_link: Type.Integer()
    })
  )
})

const MessagesSent = Type.Object({
  time_period_start: Timestamp,
  time_period_end: Timestamp,
  autoresponder_id: Nullable(Type.Integer()),
  autoresponder_name: Nullable(Type.String()),
  campaign_id: Nullable(Type.Integer()),
  campaign_name: Nullable(Type.String()),
  messages_sent: Type.Integer()
})
export type MessagesSent = Static<typeof MessagesSent>

/** docs/api.md, "Statistics". */
export const MessagesSentReport = Type.Object({ report: Type.Array(MessagesSent) })

const integersOf = <Name extends string>(...names: Name[]) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Type.Integer()])) as Record<Name, TInteger>)

const ReportedStatistics = Type.Object({
  recipients: integersOf('total', 'sent', 'skip', 'remaining'),
  sent: integersOf('total', 'accepted', 'bounced', 'in_queue'),
  skip: integersOf('ssr_failure', 'ssr_request'),
  open: integersOf('total', 'unique'),
  click: integersOf('total', 'unique'),
  bounce: integersOf('total', 'unique', 'hard', 'soft', 'other', 'subscribers_updated'),
  scomp: integersOf('total', 'unique', 'subscribers_updated'),
  unsub: integersOf('total', 'unique', 'subscribers_updated')
})
export type ReportedStatistics = Static<typeof ReportedStatistics>

const ReportedCampaign = Type.Object({
  organization: Reference,
  mailing_list: Reference,
  campaign: Type.Object({
    ...Reference.properties,
    state: Type.String(),
    paused: Type.Boolean(),
    stats: ReportedStatistics
  })
})
export type ReportedCampaign = Static<typeof ReportedCampaign>

/** docs/api.md, "Statistics". */
export const CampaignReport = Type.Object({ campaign_report: Type.Array(ReportedCampaign) })
