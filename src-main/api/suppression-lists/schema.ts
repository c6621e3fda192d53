import { type Static, Type } from 'typebox'
import { Filled, Nullable } from '../../http/schema.ts'

/** docs/api.md, "Suppression lists". */
export const SuppressionList = Type.Object({
  id: Type.Integer(),
  organization_id: Type.Integer(),
  name: Type.String(),
  /** True for a list of the System Organization that applies to the lists of all organizations. */
  global: Type.Boolean(),
  mailing_list_id: Nullable(Type.Integer())
})
export type SuppressionList = Static<typeof SuppressionList>

export const SuppressionListInput = Type.Object({
  name: Filled({ maxLength: 255 }),
  mailing_list_id: Type.Optional(Nullable(Type.Integer()))
})
export type SuppressionListInput = Static<typeof SuppressionListInput>

export const SuppressionListChanges = Type.Partial(SuppressionListInput)
export type SuppressionListChanges = Static<typeof SuppressionListChanges>

export const SuppressedAddress = Type.Object({
  id: Type.Integer(),
  suppression_list_id: Type.Integer(),
  organization_id: Type.Integer(),
  user_id: Type.Integer(),
  email: Type.String(),
  address_type: Type.Enum(['a', 'd', 'm'])
})
export type SuppressedAddress = Static<typeof SuppressedAddress>
