import { type Static, Type } from 'typebox'
import { Filled, Timestamp, withDefault } from '../../http/schema.ts'

/** docs/api.md, "Delivery settings". */
export const SeedList = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  addresses_array: Type.Array(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
  organization_id: Type.Integer()
})
export type SeedList = Static<typeof SeedList>

export const SeedListInput = Type.Object({
  name: Filled({ maxLength: 255 }),
  addresses_array: withDefault(Type.Array(Type.String(), { maxItems: 10_000 }), [])
})
export type SeedListInput = Static<typeof SeedListInput>

export const SeedListChanges = Type.Partial(
  Type.Object({
    name: SeedListInput.properties.name,
    addresses_array: Type.Array(Type.String(), { maxItems: 10_000 })
  })
)
export type SeedListChanges = Static<typeof SeedListChanges>
