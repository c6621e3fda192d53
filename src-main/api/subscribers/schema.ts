import { type Static, Type } from 'typebox'
import { customFieldTypes } from '../custom-fields/schema.ts'
import { Filled, Nullable, Reference, Timestamp, TimeInput, withDefault } from '../../http/schema.ts'

/** docs/api.md, "Subscribers". */
export const subscriberStatuses = ['active', 'bounced', 'unsubscribed', 'scomp', 'deactivated'] as const
export type SubscriberStatus = (typeof subscriberStatuses)[number]

/** `both` comes from imports and is answered as it was read. */
export const emailFormats = ['plaintext', 'html', 'both'] as const

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
  email_format: Type.Optional(Type.String()),
  confirmed: Type.Optional(Type.Boolean()),
  status: Type.Enum([...subscriberStatuses]),
  subscribe_time: Timestamp,
  subscribe_time_epoch: Type.Integer(),
  subscribe_ip: Nullable(Type.String()),
  custom_fields: CustomFieldValues
})
export type Subscriber = Static<typeof Subscriber>

/** custom field name -> plain value, or {name, value} (docs/api.md, "Subscribers"). */
const CustomFieldInputs = Type.Record(Type.String(), Type.Unknown())

const input = {
  email: Filled({ maxLength: 513 }),
  status: Type.Enum([...subscriberStatuses]),
  email_format: Type.Optional(Type.Enum([...emailFormats])),
  confirmed: Type.Optional(Type.Boolean()),
  subscribe_time: Type.Optional(TimeInput),
  subscribe_ip: Type.Optional(Nullable(Type.String())),
  custom_fields: Type.Optional(CustomFieldInputs)
}

export const SubscriberInput = Type.Object({
  ...input,
  apply_custom_field_defaults: withDefault(Type.Boolean(), false),
  skip_autoresponders: withDefault(Type.Boolean(), false),
  /** Limits autoresponders by name; * is a wildcard. */
  autoresponder_filter: Type.Optional(Type.String({ maxLength: 1000 })),
  autoresponder_exclude_reacted: withDefault(Type.Boolean(), false),
  /** The subscriber is added once they confirm; the autoresponder options do not apply then. */
  confirmation_form_id: Type.Optional(Type.Integer())
})
export type SubscriberInput = Static<typeof SubscriberInput>

/** An update keeps what its body leaves out (docs/api.md, "Requests and answers"). */
export const SubscriberChanges = Type.Object({
  ...Type.Partial(Type.Object(input)).properties,
  run_autoresponders: withDefault(Type.Boolean(), false)
})
export type SubscriberChanges = Static<typeof SubscriberChanges>

export const UnsubscribeInput = Type.Object({
  /** The value of %%unsubscribe_token%% in the message. */
  token: Filled(),
  ip: Type.Optional(Nullable(Type.String()))
})
export type UnsubscribeInput = Static<typeof UnsubscribeInput>

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

/** The body of trigger_autoresponders (docs/api.md, "Subscribers"). */
export const TriggerInput = Type.Object({
  create_missing_subscriber: withDefault(Type.Boolean(), false),
  reactivate_subscriber: withDefault(Type.Boolean(), false),
  skip_subscription_autoresponders: withDefault(Type.Boolean(), false),
  /** * is a wildcard. */
  autoresponder_names: Type.Optional(Type.Array(Filled(), { maxItems: 1000 })),
  autoresponder_ids: Type.Optional(Type.Array(Type.Integer(), { maxItems: 1000 })),
  content_replacement_fields: withDefault(
    Type.Record(Type.String(), Type.String(), { maxProperties: 1000 }),
    {}
  ),
  custom_fields: withDefault(
    Type.Object({
      for_all: Type.Optional(CustomFieldInputs),
      for_new: Type.Optional(CustomFieldInputs),
      for_active: Type.Optional(CustomFieldInputs),
      for_reactivated: Type.Optional(CustomFieldInputs)
    }),
    {}
  )
})
export type TriggerInput = Static<typeof TriggerInput>

export const TriggerResult = Type.Object({
  triggered_autoresponders: Type.Array(Reference),
  subscriber: Subscriber,
  subscription_result: Type.Enum(['created', 'remained_active', 'reactivated'])
})
export type TriggerResult = Static<typeof TriggerResult>
