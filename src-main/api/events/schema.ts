import { type Static, Type } from 'typebox'
import { Nullable } from '../../http/schema.ts'
import { Subscriber } from '../subscribers/schema.ts'

/** docs/api.md, "Events". */
export const eventTypes = [
  'studio_subscriber_created',
  'studio_subscriber_updated',
  'studio_open',
  'studio_click',
  'studio_unsub'
] as const
export type EventType = (typeof eventTypes)[number]

/** An event as it is answered, and as a webhook sends it. */
export const Event = Type.Object({
  /** Ascending, and the same wherever the event is sent. */
  event_id: Type.Integer(),
  event_type: Type.Enum([...eventTypes]),
  /** UNIX seconds. */
  event_time: Type.Integer(),
  /** "a" and the list's id. */
  listid: Type.String(),
  studio_mailing_list_id: Type.Integer(),
  list_name: Type.String(),
  /** null = the recipient of a Remote List. */
  studio_subscriber_id: Nullable(Type.Integer()),
  email: Type.String(),
  json_before: Type.Optional(Subscriber),
  json_after: Type.Optional(Subscriber),
  /** "c" and the campaign's id, or "a" and the autoresponder's. */
  sendid: Type.Optional(Type.String()),
  studio_campaign_id: Type.Optional(Nullable(Type.Integer())),
  studio_autoresponder_id: Type.Optional(Nullable(Type.Integer())),
  /** True for the recipient's first of its type in this campaign or autoresponder. */
  studio_is_unique: Type.Optional(Type.Boolean()),
  studio_ip: Type.Optional(Nullable(Type.String())),
  click_url: Type.Optional(Type.String()),
  /** Of a Remote List's recipient: 1 = the first one of the campaign. */
  studio_rl_seq_id: Type.Optional(Type.Integer()),
  studio_rl_distinct_id: Type.Optional(Nullable(Type.Integer()))
})
export type Event = Static<typeof Event>
