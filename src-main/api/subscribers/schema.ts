import { type Static, Type } from 'typebox'
import { customFieldTypes } from '../custom-fields/schema.ts'
import { Filled, Nullable, Reference, Timestamp, TimeInput } from '../schema.ts'

/** Spec, "Subscriber statuses". */
export const subscriberStatuses = ['active', 'bounced', 'unsubscribed', 'scomp', 'deactivated'] as const
export type SubscriberStatus = (typeof subscriberStatuses)[number]

export const emailFormats = ['plaintext', 'html'] as const

const CustomFieldValues = Type.Record(
  Type.String(),
  Type.Object({ name: Type.String(), type: Type.Enum([...customFieldTypes]), value: Type.Unknown() })
)

export const Subscriber = Type.Object({
  id: Type.Integer(),
  mailing_list_id: Type.Integer(),
  email: Type.String(),
  created_at: Timestamp,
  created_at_epoch: Type.Integer(),
  email_format: Type.Optional(Nullable(Type.String())),
  confirmed: Type.Optional(Nullable(Type.Boolean())),
  status: Type.Enum([...subscriberStatuses]),
  subscribe_time: Timestamp,
  subscribe_time_epoch: Type.Integer(),
  subscribe_ip: Nullable(Type.String()),
  custom_fields: CustomFieldValues
})
export type Subscriber = Static<typeof Subscriber>

/** custom field name -> plain value, or {name, value} (supplement, section 2). */
const CustomFieldInputs = Type.Record(Type.String(), Type.Unknown())

const input = {
  email: Filled({ maxLength: 320 }),
  status: Type.Enum([...subscriberStatuses]),
  email_format: Type.Optional(Type.Enum([...emailFormats])),
  confirmed: Type.Optional(Type.Boolean()),
  subscribe_time: Type.Optional(TimeInput),
  subscribe_ip: Type.Optional(Nullable(Type.String())),
  custom_fields: Type.Optional(CustomFieldInputs)
}

export const SubscriberInput = Type.Object({
  ...input,
  apply_custom_field_defaults: Type.Boolean({ default: false })
})
export type SubscriberInput = Static<typeof SubscriberInput>

/** An update keeps what its body leaves out (supplement, section 1). */
export const SubscriberChanges = Type.Partial(Type.Object(input))
export type SubscriberChanges = Static<typeof SubscriberChanges>

export const UnsubscribeInput = Type.Object({
  /** What %%unsubscribe_token%% was replaced with. */
  token: Filled(),
  ip: Type.Optional(Nullable(Type.String()))
})

export const SubscriberByEmail = Type.Object({
  id: Type.Integer(),
  status: Type.Enum([...subscriberStatuses]),
  email: Type.String(),
  mailing_list: Reference,
  organization: Type.Optional(Reference)
})

export const RemovedSubscribers = Type.Object({
  subscriber_ids_removed: Type.Array(Type.Integer()),
  more_remaining: Type.Boolean()
})
