import { type Static, Type } from 'typebox'
import { Filled, Timestamp, withDefault } from '../../http/schema.ts'

/** How a connection is protected: from its first byte, by STARTTLS, or not at all, which is for servers on this computer only. */
export const smtpSecurities = ['tls', 'starttls', 'none'] as const
export type SmtpSecurity = (typeof smtpSecurities)[number]

/** How Listwright signs in: not at all, with a password, or with an OAuth 2 access token (XOAUTH2). */
export const smtpAuthentications = ['none', 'password', 'xoauth2'] as const
export type SmtpAuthentication = (typeof smtpAuthentications)[number]

const limit = () => Type.Integer({ minimum: 0, maximum: 100_000_000 })

/** A default belongs to one schema, so each request has its own. */
const settings = () => ({
  name: Filled({ maxLength: 255 }),
  host: Filled({ maxLength: 253 }),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  security: Type.Enum([...smtpSecurities]),
  authentication: Type.Enum([...smtpAuthentications]),
  username: Type.String({ maxLength: 320 }),
  /** The domains of senders that it may be used for; [] = all. */
  sender_domains: Type.Array(Type.String({ maxLength: 253 }), { maxItems: 1000 }),
  connections: Type.Integer({ minimum: 1, maximum: 100 }),
  /** These limits are 0 for none. */
  messages_per_connection: limit(),
  messages_per_minute: limit(),
  messages_per_hour: limit(),
  messages_per_day: limit(),
  /** True = messages are handed over unsigned: the server signs them itself (DKIM). */
  signs_dkim: Type.Boolean()
})

/** The password or token; it is stored where only this computer's user can read it, and never answered. */
const Secret = Type.String({ maxLength: 10_000 })

const given = settings()

export const SmtpServerInput = Type.Object({
  ...given,
  port: withDefault(given.port, 587),
  security: withDefault(given.security, 'starttls'),
  authentication: withDefault(given.authentication, 'password'),
  username: withDefault(given.username, ''),
  sender_domains: withDefault(given.sender_domains, []),
  connections: withDefault(given.connections, 4),
  messages_per_connection: withDefault(given.messages_per_connection, 100),
  messages_per_minute: withDefault(given.messages_per_minute, 0),
  messages_per_hour: withDefault(given.messages_per_hour, 0),
  messages_per_day: withDefault(given.messages_per_day, 0),
  signs_dkim: withDefault(given.signs_dkim, false),
  secret: Type.Optional(Secret)
})
export type SmtpServerInput = Static<typeof SmtpServerInput>

export const SmtpServerChanges = Type.Partial(Type.Object({ ...settings(), secret: Secret }))
export type SmtpServerChanges = Static<typeof SmtpServerChanges>

export const SmtpServer = Type.Object({
  id: Type.Integer(),
  ...settings(),
  /** True if a password or token is stored. */
  has_secret: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type SmtpServer = Static<typeof SmtpServer>

/** Where the messages of a virtual MTA go: to its servers, of which the least busy takes the next ones, or without any to the outbox. */
export const DeliveryRoute = Type.Object({
  /** 0 = the system default route. */
  virtual_mta_id: Type.Integer(),
  virtual_mta_name: Type.String(),
  transport: Type.Enum(['outbox', 'smtp']),
  smtp_server_ids: Type.Array(Type.Integer())
})
export type DeliveryRoute = Static<typeof DeliveryRoute>

export const DeliveryRouteInput = Type.Object({
  smtp_server_ids: Type.Array(Type.Integer(), { maxItems: 20 })
})

export const DeliveryOptions = Type.Object({
  /** True if another system takes unsubscribes: Listwright then sends to any number of recipients without a way of its own. */
  unsubscribes_elsewhere: Type.Boolean(),
  /** True if a mailbox is read, where unsubscribes by mail arrive. */
  receives_unsubscribes: Type.Boolean(),
  /** Soft bounces within so many days after which a subscriber is bounced; 0 = never. */
  soft_bounces: Type.Integer({ minimum: 0, maximum: 1000 }),
  soft_bounce_days: Type.Integer({ minimum: 1, maximum: 90 }),
  /** True if the winner of a split test is chosen by all openings and clicks; false = by those of people. */
  winner_counts_machines: Type.Boolean()
})
export type DeliveryOptions = Static<typeof DeliveryOptions>

export const DeliveryOptionChanges = Type.Partial(Type.Omit(DeliveryOptions, ['receives_unsubscribes']))
export type DeliveryOptionChanges = Static<typeof DeliveryOptionChanges>
