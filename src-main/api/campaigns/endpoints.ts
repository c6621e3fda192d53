import { Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import {
  IdParams,
  MailingListParams,
  Reference,
  TimeInput,
  wrapped,
  wrappedBeside,
  withDefault
} from '../../http/schema.ts'
import {
  CampaignChanges,
  CampaignDetail,
  CampaignInput,
  CampaignLogEntry,
  CampaignSummary,
  SpeedInput
} from './schema.ts'
import { endpoints } from '../../http/endpoint.ts'

const StatParams = Type.Object({ stat_id: Type.Integer({ minimum: 1 }) })
const CampaignOfListParams = Type.Object({
  ...MailingListParams.properties,
  campaign_id: Type.Integer({ minimum: 1 })
})

const reading = {
  access: 'signed_in',
  summary: 'Read a campaign',
  query: Type.Object({ include_engine_sendid: withDefault(Type.Boolean(), false) }),
  answer: envelope(CampaignDetail)
} as const
const changing = {
  access: 'campaign.update',
  summary: 'Change a campaign that has not begun',
  body: wrapped('campaign', CampaignChanges),
  answer: envelope(CampaignDetail)
} as const
const pausing = {
  access: 'campaign.update_state',
  summary: 'Hold a campaign that is scheduled or being sent',
  answer: envelope(CampaignDetail)
} as const
const resuming = { ...pausing, summary: 'Let a paused campaign go on' } as const

export const campaignEndpoints = endpoints('Campaigns', {
  'GET /mailing_lists/:mailing_list_id/campaigns': {
    access: 'signed_in',
    summary: 'List the campaigns of a list',
    params: MailingListParams,
    query: Type.Object({
      started_at__start: Type.Optional(TimeInput),
      started_at__end: Type.Optional(TimeInput)
    }),
    answer: envelope(Type.Array(CampaignSummary))
  },

  'POST /mailing_lists/:mailing_list_id/campaigns': {
    joinsFaults: true,
    access: 'campaign.create',
    summary: 'Create a campaign, from scratch or from a template',
    params: MailingListParams,
    body: wrappedBeside('campaign', CampaignChanges, CampaignInput.properties),
    answer: envelope(CampaignDetail)
  },

  'GET /campaigns/:id': { ...reading, params: IdParams },
  'PUT /campaigns/:id': {
    joinsFaults: true,
    ...changing,
    params: IdParams
  },
  'GET /campaigns/:id/history': {
    access: 'campaign.read_stats',
    summary: 'List what happened while a campaign was sent (an extension)',
    params: IdParams,
    answer: envelope(Type.Array(CampaignLogEntry))
  },
  'PUT /campaigns/:id/speed': {
    access: 'campaign.update_state',
    summary: 'Change the speed of a campaign, also while it is being sent (an extension)',
    params: IdParams,
    body: wrapped('campaign', SpeedInput),
    answer: envelope(CampaignDetail)
  },
  'POST /campaigns/:id/pause': { ...pausing, params: IdParams },
  'POST /campaigns/:id/resume': { ...resuming, params: IdParams },

  // A campaign is also named by the stat_id of its statistics (docs/api.md, "Campaigns").
  'GET /campaigns/by_stat/:stat_id': { ...reading, params: StatParams },
  'PUT /campaigns/by_stat/:stat_id': { ...changing, params: StatParams },
  'POST /campaigns/by_stat/:stat_id/pause': { ...pausing, params: StatParams },
  'POST /campaigns/by_stat/:stat_id/resume': { ...resuming, params: StatParams },

  // An older spelling (docs/api.md, "Campaigns"), which has no GET.
  'PUT /mailing_lists/:mailing_list_id/campaigns/:campaign_id': { ...changing, params: CampaignOfListParams },
  'POST /mailing_lists/:mailing_list_id/campaigns/:campaign_id/pause': {
    ...pausing,
    params: CampaignOfListParams
  },
  'POST /mailing_lists/:mailing_list_id/campaigns/:campaign_id/resume': {
    ...resuming,
    params: CampaignOfListParams
  },

  'POST /campaigns/:id/cancel': {
    access: 'campaign.update_state',
    summary: 'End a campaign for good',
    params: IdParams,
    answer: envelope(CampaignDetail)
  },

  'DELETE /campaigns/:id': {
    access: 'campaign.delete',
    summary: 'Delete a campaign that is not being sent',
    params: IdParams,
    answer: envelope(Type.Object({ campaign: Reference }))
  }
})
