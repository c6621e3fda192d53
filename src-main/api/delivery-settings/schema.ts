import { type Static, Type } from 'typebox'
import { Filled, withDefault } from '../../http/schema.ts'

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

export const UrlDomain = Type.Object({ id: Type.Integer(), domain: Type.String() })
export type UrlDomain = Static<typeof UrlDomain>

export const UrlDomainInput = Type.Object({ domain: Filled({ maxLength: 253 }) })
export type UrlDomainInput = Static<typeof UrlDomainInput>

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

/** A database that Remote Lists read from (docs/api.md, "Mailing lists"). */
export const DatabaseConnection = Type.Object({ id: Type.Integer(), name: Type.String() })
export type DatabaseConnection = Static<typeof DatabaseConnection>

export const DatabaseConnectionInput = Type.Object({ name: Filled({ maxLength: 255 }) })
export type DatabaseConnectionInput = Static<typeof DatabaseConnectionInput>
