import { type Static, Type } from 'typebox'
import { contentFormats } from '../autoresponders/schema.ts'
import { autowinnerMetrics, delayUnits, maxDelayAmount } from '../mailing-lists/schema.ts'
import {
  Filled,
  Nullable,
  Reference,
  Timestamp,
  TimeInput,
  withDefault,
  WindowFault
} from '../../http/schema.ts'
import { ClauseInput } from '../segments/schema.ts'
import { StatisticCounts, StatSummary } from '../statistics/schema.ts'

/** docs/api.md, "Campaigns". */
export const campaignStates = ['idle', 'scheduled', 'sending', 'finished', 'failed', 'cancelled'] as const
export type CampaignState = (typeof campaignStates)[number]

const Format = Type.Enum([...contentFormats])

const ContentInput = Type.Object({
  /** The content to change; without an id a content is added. */
  id: Type.Optional(Type.Integer()),
  name: Type.Optional(Type.String({ maxLength: 255 })),
  subject: Type.Optional(Type.String()),
  format: Type.Optional(Format),
  html: Type.Optional(Type.String()),
  text: Type.Optional(Type.String())
})
export type ContentInput = Static<typeof ContentInput>

/** The form in which older clients write contents (docs/api.md, "Campaigns"). */
const NestedContentInput = Type.Object({
  id: Type.Optional(Type.Integer()),
  name: Type.Optional(Type.String({ maxLength: 255 })),
  content_attributes: Type.Object({
    subject: Type.Optional(Type.String()),
    format: Type.Optional(Format),
    html: Type.Optional(Type.String()),
    text: Type.Optional(Type.String())
  })
})

/** docs/api.md, "Campaigns". Missing properties take the list's defaults. */
export const DispatchInput = Type.Partial(
  Type.Object({
    virtual_mta_id: Nullable(Type.Integer()),
    virtual_mta_name: Type.String(),
    bounce_email_id: Nullable(Type.String()),
    bounce_email_name: Type.String(),
    url_domain_id: Nullable(Type.Integer()),
    url_domain_name: Type.String(),
    seed_list_id: Nullable(Type.Integer()),
    seed_list_name: Type.String(),
    seed_list_ids: Type.Array(Type.Integer()),
    seed_list_names: Type.Array(Type.String()),
    speed: Type.Integer({ minimum: 0 }),
    track_opens: Type.Boolean(),
    track_links: Type.Boolean(),
    paused: Type.Boolean(),
    from_name: Nullable(Type.String()),
    from_email: Nullable(Type.String()),
    reply_to: Nullable(Type.String()),
    sender_email: Nullable(Type.String()),
    begins_at: Nullable(TimeInput),
    autowinner_enabled: Type.Boolean(),
    autowinner_percentage: Nullable(Type.Union([Type.Number(), Type.String()])),
    autowinner_delay_amount: Nullable(Type.Integer({ minimum: 0, maximum: maxDelayAmount })),
    autowinner_delay_unit: Nullable(Type.Enum([...delayUnits])),
    autowinner_metric: Nullable(Type.Enum([...autowinnerMetrics])),
    special_sending_rule_id: Nullable(Type.Integer())
  })
)
export type DispatchInput = Static<typeof DispatchInput>

const input = {
  name: Filled({ maxLength: 255 }),
  segmentation_criteria_id: Nullable(Type.Integer()),
  segmentation_criteria_ad_hoc: ClauseInput,
  segmentation_criteria_remote_sql: Nullable(Type.String()),
  contents: Type.Array(ContentInput, { maxItems: 20 }),
  // The first content by id, where `contents` is left out (docs/api.md, "Campaigns").
  content_subject: Type.String(),
  email_format: Format,
  content_html: Type.String(),
  content_text: Type.String(),
  archived: Type.Boolean(),
  active_html_editor: Filled({ maxLength: 100 }),
  campaign_contents_attributes: Type.Array(NestedContentInput, { maxItems: 20 }),
  template_contents_attributes: Type.Array(NestedContentInput, { maxItems: 20 }),
  dispatch_attributes: DispatchInput
}

export const CampaignChanges = Type.Partial(Type.Object(input))
export type CampaignChanges = Static<typeof CampaignChanges>

/** The parts to copy from a template (docs/api.md, "Campaigns"). Properties in the request take precedence. */
export const CampaignInput = Type.Object({
  source_template_id: Type.Optional(Nullable(Type.Integer())),
  duplicate_content: withDefault(Type.Boolean(), false),
  duplicate_segmentation_criteria: withDefault(Type.Boolean(), false),
  duplicate_dispatch: withDefault(Type.Boolean(), false)
})
export type CampaignInput = Static<typeof CampaignInput>

export const Content = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  subject: Type.String(),
  format: Format,
  html: Type.String(),
  text: Type.String()
})
export type Content = Static<typeof Content>

/** docs/api.md, "Campaigns"; null where the API says so. */
const dispatchFields = {
  state: Type.Enum([...campaignStates]),
  state_description: Type.String(),
  virtual_mta_id: Type.Integer(),
  virtual_mta_name: Type.String(),
  virtual_mta_type: Type.String(),
  bounce_email_id: Nullable(Type.String()),
  bounce_email_name: Nullable(Type.String()),
  bounce_email_user_id: Nullable(Type.Integer()),
  bounce_email_domain_id: Nullable(Type.Integer()),
  bounce_email_email: Nullable(Type.String()),
  url_domain_id: Nullable(Type.Integer()),
  url_domain_name: Nullable(Type.String()),
  url_domain_domain: Nullable(Type.String()),
  seed_list_id: Nullable(Type.Integer()),
  seed_list_name: Nullable(Type.String()),
  seed_lists: Type.Array(Reference),
  speed: Type.Integer(),
  track_opens: Type.Boolean(),
  track_links: Type.Boolean(),
  paused: Type.Boolean(),
  from_name: Nullable(Type.String()),
  from_email: Nullable(Type.String()),
  reply_to: Nullable(Type.String()),
  sender_email: Nullable(Type.String()),
  begins_at: Nullable(Timestamp),
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
  autowinner_enabled: Type.Boolean(),
  autowinner_percentage: Nullable(Type.String()),
  autowinner_delay_amount: Nullable(Type.Integer()),
  autowinner_delay_unit: Type.String(),
  autowinner_metric: Nullable(Type.String()),
  special_sending_rule_id: Type.Null(),
  special_sending_rule_name: Type.Null()
}
export const Dispatch = Type.Object(dispatchFields)
export type Dispatch = Static<typeof Dispatch>

const basics = {
  id: Type.Integer(),
  name: Type.String(),
  mailing_list_id: Type.Integer(),
  mailing_list_name: Type.String(),
  /** Deprecated like the next three: the first content by id. */
  content_subject: Nullable(Type.String()),
  email_format: Nullable(Type.String()),
  content_html: Nullable(Type.String()),
  content_text: Nullable(Type.String()),
  segmentation_criteria_id: Nullable(Type.Integer()),
  created_at: Timestamp,
  updated_at: Timestamp,
  organization_id: Type.Integer(),
  organization_name: Type.String(),
  archived: Type.Boolean(),
  content_determined: Type.Boolean(),
  active_html_editor: Type.String()
}

/** An element of the list (docs/api.md, "Campaigns"). */
export const CampaignSummary = Type.Object({
  ...basics,
  /** Only with delivery settings. */
  dispatch: Type.Optional(Dispatch),
  state: Type.Enum([...campaignStates]),
  state_description: Type.String(),
  paused: Type.Boolean(),
  begins_at: Nullable(Timestamp),
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
  stats: Nullable(StatSummary)
})
export type CampaignSummary = Static<typeof CampaignSummary>

const ContentStats = Type.Array(
  Type.Object({
    content: Reference,
    stat_summary: Nullable(Type.Object({ ...StatSummary.properties, stat_slice_id: Type.Integer() }))
  })
)

const WinnerSelection = Type.Object({
  state: Type.Enum(['split_testing', 'decision_delay', 'finished']),
  winning_content: Nullable(Reference),
  snapshots: Type.Array(
    Type.Object({
      content: Type.Object({ ...Reference.properties, is_winner: Type.Boolean() }),
      snapshot: Type.Object({
        ...StatisticCounts.properties,
        id: Type.Integer(),
        snapshot_group: Type.String(),
        stat_id: Type.Integer(),
        stat_slice_id: Type.Integer(),
        taken_at: Timestamp
      })
    })
  )
})

const detail = {
  ...basics,
  segmentation_criteria_name: Nullable(Type.String()),
  segmentation_criteria_remote_sql: Nullable(Type.String()),
  campaign_contents: Type.Array(Content),
  /** Only with delivery settings. */
  dispatch: Type.Optional(Dispatch),
  content_stats: ContentStats,
  automatic_winner_selection: Nullable(WinnerSelection),
  template: Type.Boolean()
}

/** docs/api.md, "Campaigns". */
export const CampaignDetail = Type.Object({
  ...detail,
  x_campaign_id: Type.String(),
  stat_summary: Nullable(Type.Object({ ...StatSummary.properties, stat_id: Type.Integer() })),
  /** Only with include_engine_sendid. */
  engine_sendid: Type.Optional(Type.String())
})
export type CampaignDetail = Static<typeof CampaignDetail>

/** docs/api.md, "Templates". */
export const TemplateDetail = Type.Object({
  ...detail,
  stat_summary: Type.Null(),
  custom_dynamic_template_id: Type.Null()
})
export type TemplateDetail = Static<typeof TemplateDetail>

export const TemplateSummary = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  mailing_list_id: Type.Integer(),
  mailing_list_name: Type.String(),
  organization_id: Type.Integer(),
  segmentation_criteria_id: Nullable(Type.Integer())
})
export type TemplateSummary = Static<typeof TemplateSummary>

/** Something that happened while a campaign was sent. */
export const CampaignLogEntry = Type.Object({
  occurred_at: Timestamp,
  message: Type.String(),
  fault: WindowFault
})
export type CampaignLogEntry = Static<typeof CampaignLogEntry>

/** Messages per hour; 0 = as fast as it goes. */
export const SpeedInput = Type.Object({ speed: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }) })
