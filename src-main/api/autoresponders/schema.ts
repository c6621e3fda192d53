import { type Static, Type } from 'typebox'
import { Filled, Nullable, Timestamp } from '../../http/schema.ts'

/** docs/api.md, "Autoresponders". */
export const autoresponderTriggers = [
  'subscription',
  'campaign_open',
  'autoresponder_open',
  'autoresponder_nonopen',
  'autoresponder_send',
  'api'
] as const
export type AutoresponderTrigger = (typeof autoresponderTriggers)[number]

export const autoresponderDelayUnits = ['minutes', 'hours', 'days', 'weeks', 'months'] as const
export type AutoresponderDelayUnit = (typeof autoresponderDelayUnits)[number]

/** docs/api.md, "Campaigns": the formats of a content. */
export const contentFormats = ['html', 'text', 'both'] as const
export type ContentFormat = (typeof contentFormats)[number]

const input = {
  name: Filled({ maxLength: 255 }),
  paused: Type.Boolean(),
  trigger: Type.Enum([...autoresponderTriggers]),
  delay: Type.Enum(['immediately', 'with_delay']),
  delay_amount: Type.Integer({ minimum: 0, maximum: 10_000 }),
  delay_unit: Nullable(Type.Enum([...autoresponderDelayUnits])),
  /** Hour of the day, for delays of days and longer. */
  delay_time: Type.Integer({ minimum: 0, maximum: 23 }),
  trigger_include_subscribers_from_import: Type.Boolean(),
  trigger_run_on_api: Type.Boolean(),
  trigger_campaign_to_open_id: Nullable(Type.Integer()),
  trigger_autoresponder_to_open_id: Nullable(Type.Integer()),
  /** True = the list's defaults replace the delivery settings below. */
  use_external_delivery_setting: Type.Boolean(),
  bounce_email_user_id: Nullable(Type.Integer()),
  bounce_email_domain_id: Nullable(Type.Integer()),
  from_name: Nullable(Type.String()),
  from_email: Nullable(Type.String()),
  virtual_mta_id: Nullable(Type.Integer()),
  url_domain_id: Nullable(Type.Integer()),
  track_opens: Type.Boolean(),
  track_links: Type.Boolean(),
  content_subject: Type.String(),
  content_format: Type.Enum([...contentFormats]),
  content_html: Type.String(),
  content_text: Type.String(),
  segmentation_criteria_id: Nullable(Type.Integer()),
  special_sending_rule_id: Nullable(Type.Integer())
}

export const AutoresponderChanges = Type.Partial(Type.Object(input))
export type AutoresponderChanges = Static<typeof AutoresponderChanges>

export const AutoresponderInput = Type.Object({
  ...AutoresponderChanges.properties,
  name: input.name,
  trigger: input.trigger
})
export type AutoresponderInput = Static<typeof AutoresponderInput>

export const Autoresponder = Type.Object({
  id: Type.Integer(),
  mailing_list_id: Type.Integer(),
  ...input,
  triggered_on: Nullable(Timestamp),
  paused_at: Nullable(Timestamp),
  special_sending_rule_name: Nullable(Type.String())
})
export type Autoresponder = Static<typeof Autoresponder>

/** The messages of a list's queue that are due in the next 30 days. */
export const Upcoming = Type.Object({
  /** By day of the organization's time zone; those that are overdue belong to today. */
  days: Type.Array(
    Type.Object({
      day: Type.String({ format: 'date' }),
      autoresponder_id: Type.Integer(),
      messages: Type.Integer()
    })
  ),
  /** The first 100 recipients. */
  next: Type.Array(
    Type.Object({
      email: Type.String(),
      subscriber_id: Type.Integer(),
      autoresponder_id: Type.Integer(),
      due_at: Timestamp
    })
  )
})
export type Upcoming = Static<typeof Upcoming>
