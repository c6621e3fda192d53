import { type Static, Type } from 'typebox'
import { Filled, Nullable, Reference } from '../../http/schema.ts'

/** docs/api.md, "Mailing lists". */
export const autowinnerMetrics = [
  'opens_unique',
  'clicks_unique',
  'opens_total',
  'clicks_total',
  'click_to_open_rate'
] as const
export type AutowinnerMetric = (typeof autowinnerMetrics)[number]
export const delayUnits = ['minutes', 'hours', 'days'] as const
/** In any unit: the winner is chosen before the year 9999. */
export const maxDelayAmount = 1_000_000

/**
 * Percentages arrive as integer, float or string and are stored as strings
 * (docs/api.md, "Requests and answers").
 */
const Percentage = Type.Union([Type.Number(), Type.String()])

const input = {
  name: Filled({ maxLength: 255 }),
  d_from_email: Nullable(Type.String()),
  d_from_name: Nullable(Type.String()),
  d_reply_to: Nullable(Type.String()),
  d_sender_email: Nullable(Type.String()),
  d_virtual_mta: Nullable(Type.String()),
  d_url_domain: Nullable(Type.String()),
  d_bounce_email: Nullable(Type.String()),
  d_speed: Type.Integer({ minimum: 0 }),
  d_seed_list_ids: Type.Array(Type.Integer()),
  d_seed_list_names: Type.Array(Type.String()),
  d_autowinner_enabled: Type.Boolean(),
  d_autowinner_percentage: Nullable(Percentage),
  d_autowinner_delay_amount: Nullable(Type.Integer({ minimum: 0, maximum: maxDelayAmount })),
  d_autowinner_delay_unit: Nullable(Type.Enum([...delayUnits])),
  d_autowinner_metric: Nullable(Type.Enum([...autowinnerMetrics])),
  has_format: Type.Boolean(),
  has_confirmed: Type.Boolean(),
  custom_headers_enabled: Type.Boolean(),
  /** Limited, as they are in each answer and message. */
  custom_headers: Type.String({ maxLength: 64 * 1024 }),
  primary_key_custom_field_id: Nullable(Type.Integer({ minimum: 1 })),
  preview_custom_field_data: Type.Record(Type.String(), Type.Unknown()),
  /** Can only be set on creation; later it must be unchanged. */
  is_remote_list: Type.Boolean(),
  database_connection_id: Type.Integer(),
  database_connection_name: Type.String()
}

export const MailingListChanges = Type.Partial(Type.Object(input))
export type MailingListChanges = Static<typeof MailingListChanges>

export const MailingListInput = Type.Object({ ...MailingListChanges.properties, name: input.name })
export type MailingListInput = Static<typeof MailingListInput>

export const MailingList = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  d_from_email: Nullable(Type.String()),
  d_from_name: Nullable(Type.String()),
  d_reply_to: Nullable(Type.String()),
  d_sender_email: Nullable(Type.String()),
  d_virtual_mta: Type.String(),
  d_virtual_mta_id: Type.Integer(),
  d_url_domain: Nullable(Type.String()),
  d_url_domain_id: Nullable(Type.Integer()),
  d_speed: Type.Integer(),
  d_bounce_email: Nullable(Type.String()),
  d_bounce_email_id: Nullable(Type.String()),
  d_seed_lists: Type.Array(Reference),
  d_autowinner_enabled: Type.Boolean(),
  d_autowinner_percentage: Nullable(Type.String()),
  d_autowinner_delay_amount: Nullable(Type.Integer()),
  d_autowinner_delay_unit: Nullable(Type.String()),
  d_autowinner_metric: Nullable(Type.String()),
  has_format: Type.Boolean(),
  has_confirmed: Type.Boolean(),
  custom_headers_enabled: Type.Boolean(),
  custom_headers: Type.String(),
  primary_key_custom_field_id: Nullable(Type.Integer()),
  preview_custom_field_data: Type.Record(Type.String(), Type.Unknown()),
  is_remote_list: Type.Boolean(),
  database_connection_id: Nullable(Type.Integer()),
  database_connection_name: Nullable(Type.String())
})
export type MailingList = Static<typeof MailingList>

export const DeleteConfirmation = Type.Object({
  delete_confirmation_code: Type.String(),
  delete_confirmation_expires_at: Type.String({ format: 'date-time' })
})
