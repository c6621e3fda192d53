import { type Static, Type } from 'typebox'
import { Filled, Nullable, Timestamp, WindowFault, withDefault } from '../../http/schema.ts'

// What lists and autoresponders send with (docs/api.md, "Delivery settings").

/** The name of the system's own route (docs/api.md, "Mailing lists"). */
export const systemDefaultRoute = 'System Default Route'

export const VirtualMta = Type.Object({
  /** 0 = the system default route. */
  id: Type.Integer(),
  type: Type.Enum(['default_route', 'virtualmta']),
  name: Type.String()
})
export type VirtualMta = Static<typeof VirtualMta>

export const VirtualMtaInput = Type.Object({ name: Filled({ maxLength: 255 }) })
export type VirtualMtaInput = Static<typeof VirtualMtaInput>

/** Links in messages lead to a domain, under which this computer is reached, or to a gate, a server that answers while this computer is off. */
export const urlDomainKinds = ['domain', 'gate'] as const

export const UrlDomain = Type.Object({
  id: Type.Integer(),
  /** For a gate, the host of its address. */
  domain: Type.String(),
  kind: Type.Enum([...urlDomainKinds]),
  /** The address of a gate; null for a domain. */
  address: Nullable(Type.String()),
  /** True if the key of the gate is stored. */
  has_secret: Type.Boolean(),
  /** When the events of the gate were last fetched; null = never. */
  fetched_at: Nullable(Timestamp),
  /** Why they could not be fetched the last time; null = they could. */
  error_message: Nullable(Type.String()),
  fault: WindowFault
})
export type UrlDomain = Static<typeof UrlDomain>

const gateSettings = {
  /** Without a path, such as https://links.example.com. */
  address: Filled({ maxLength: 300 }),
  /** The key of the gate; it is stored where only this computer's user can read it, and never answered. */
  secret: Filled({ maxLength: 200 })
}

export const UrlDomainInput = Type.Object({
  domain: Type.Optional(Type.String({ maxLength: 253 })),
  kind: withDefault(Type.Enum([...urlDomainKinds]), 'domain'),
  address: Type.Optional(gateSettings.address),
  secret: Type.Optional(gateSettings.secret)
})
export type UrlDomainInput = Static<typeof UrlDomainInput>

/** Of a gate. */
export const UrlDomainChanges = Type.Partial(Type.Object(gateSettings))
export type UrlDomainChanges = Static<typeof UrlDomainChanges>

export const GateTest = Type.Object({
  is_open: Type.Boolean(),
  /** The time from the visit until it was fetched; null if it was not recorded. */
  milliseconds: Nullable(Type.Integer()),
  /** The words of the gate or the system, if it did not. */
  words: Type.String()
})
export type GateTest = Static<typeof GateTest>

export const BounceEmail = Type.Object({
  /** "<user id>@<domain id>", such as "1@1". */
  id: Type.String(),
  username: Type.String(),
  domain: Type.String(),
  email: Type.String(),
  /** True if its mailbox takes mail to user+anything as well: then each message has a return path of its own (VERP). */
  plus_addressing: Type.Boolean()
})
export type BounceEmail = Static<typeof BounceEmail>

export const BounceEmailInput = Type.Object({
  username: Filled({ maxLength: 64 }),
  domain: Filled({ maxLength: 253 }),
  plus_addressing: withDefault(Type.Boolean(), false)
})
export const BounceEmailChanges = Type.Object({ plus_addressing: Type.Boolean() })
export type BounceEmailInput = Static<typeof BounceEmailInput>
