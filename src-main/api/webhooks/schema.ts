import { type Static, Type } from 'typebox'
import { Filled, Nullable, TimeInput, Timestamp, WindowFault, withDefault } from '../../http/schema.ts'
import { eventTypes } from '../events/schema.ts'

export const webhookMessageStates = ['waiting', 'delivered', 'given_up'] as const
export type WebhookMessageState = (typeof webhookMessageStates)[number]

/** Most events of a message. */
export const maxBatchSize = 500

const settings = () => ({
  name: Filled({ maxLength: 255 }),
  url: Filled({ maxLength: 2000 }),
  event_types: Type.Array(Type.Enum([...eventTypes]), { minItems: 1, maxItems: eventTypes.length }),
  /** 1 = each event is sent by itself; more = an array of at most so many events. */
  batch_size: Type.Integer({ minimum: 1, maximum: maxBatchSize }),
  /** True = the address may be one of this computer or of a private network. Only system administrators allow it. */
  allows_private_addresses: Type.Boolean(),
  is_enabled: Type.Boolean()
})

const given = settings()

export const WebhookInput = Type.Object({
  ...given,
  event_types: withDefault(given.event_types, [...eventTypes]),
  batch_size: withDefault(given.batch_size, 1),
  allows_private_addresses: withDefault(given.allows_private_addresses, false),
  is_enabled: withDefault(given.is_enabled, true)
})
export type WebhookInput = Static<typeof WebhookInput>

export const WebhookChanges = Type.Partial(Type.Object(settings()))
export type WebhookChanges = Static<typeof WebhookChanges>

const answered = {
  id: Type.Integer(),
  ...settings(),
  /** False if its secrets are missing, as after a backup was restored on another computer: nothing is sent then. */
  has_secret: Type.Boolean(),
  /** Messages that are still to be delivered, and those that were given up. */
  waiting: Type.Integer(),
  given_up: Type.Integer(),
  /** When a message was last accepted. */
  delivered_at: Nullable(Timestamp),
  /** The first failure since then; null = the last message was accepted. */
  failing_since: Nullable(Timestamp),
  /** After failures: when the next message is sent. */
  next_attempt_at: Nullable(Timestamp),
  /** When Listwright disabled it because nothing was accepted for days. */
  disabled_at: Nullable(Timestamp),
  error_message: Nullable(Type.String()),
  fault: WindowFault,
  created_at: Timestamp,
  updated_at: Timestamp
}
export const Webhook = Type.Object(answered)
export type Webhook = Static<typeof Webhook>

/** With the secret that signs its messages, which is answered only now. */
export const CreatedWebhook = Type.Object({ ...answered, secret: Type.String() })

export const WebhookSecret = Type.Object({
  id: Type.Integer(),
  created_at: Timestamp,
  /** Its last four characters. */
  ends_with: Type.String()
})
export type WebhookSecret = Static<typeof WebhookSecret>

export const CreatedWebhookSecret = Type.Object({ ...WebhookSecret.properties, secret: Type.String() })

export const WebhookTest = Type.Object({
  is_accepted: Type.Boolean(),
  /** The HTTP status; null = there was no answer. */
  status: Nullable(Type.Integer()),
  milliseconds: Type.Integer(),
  /** The beginning of the answer, or why there was none. */
  answer: Type.String()
})
export type WebhookTest = Static<typeof WebhookTest>

export const WebhookMessage = Type.Object({
  id: Type.Integer(),
  /** The header of this name, the same in each attempt. */
  webhook_id: Type.String(),
  first_event_id: Type.Integer(),
  last_event_id: Type.Integer(),
  /** The number of its events. */
  events: Type.Integer(),
  state: Type.Enum([...webhookMessageStates]),
  attempts: Type.Integer(),
  attempted_at: Nullable(Timestamp),
  next_attempt_at: Nullable(Timestamp),
  milliseconds: Nullable(Type.Integer()),
  status: Nullable(Type.Integer()),
  answer: Nullable(Type.String()),
  created_at: Timestamp
})
export type WebhookMessage = Static<typeof WebhookMessage>

export const ReplayInput = Type.Object({ since: TimeInput })
