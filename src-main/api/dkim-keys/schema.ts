import { type Static, Type } from 'typebox'
import { Filled, Timestamp, withDefault } from '../../http/schema.ts'

export const DkimKey = Type.Object({
  id: Type.Integer(),
  domain: Type.String(),
  selector: Type.String(),
  /** True = it signs the messages of its domain. Of several, the newest signs. */
  is_enabled: Type.Boolean(),
  /** True if the private key is stored. */
  has_private_key: Type.Boolean(),
  /** The TXT record that the domain's DNS must have. */
  record_name: Type.String(),
  record_value: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type DkimKey = Static<typeof DkimKey>

export const DkimKeyInput = Type.Object({
  /** The part after the @ of senders' addresses. */
  domain: Filled({ maxLength: 253 }),
  selector: withDefault(Filled({ maxLength: 63 }), 'listwright'),
  /** An RSA key in PEM; without one, a key of 2048 bits is made. It is stored where only this computer's user can read it, and never answered. */
  private_key: Type.Optional(Type.String({ maxLength: 20_000 }))
})
export type DkimKeyInput = Static<typeof DkimKeyInput>

export const DkimKeyChanges = Type.Object({ is_enabled: Type.Boolean() })
