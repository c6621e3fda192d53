import { type Static, Type } from 'typebox'
import { Filled, Nullable, withDefault } from '../../http/schema.ts'
import { dateFormats, maxColumns, SubscriberImportInput } from '../../api/subscriber-imports/schema.ts'

const { overwrite, overwrite_what, overwrite_when_status, subscriber_defaults } =
  SubscriberImportInput.properties

/** A column of a file, and where it goes as in column_mapping; null = it is left out. */
export const MappedColumn = Type.Object({ header: Type.String(), target: Nullable(Type.String()) })
export type MappedColumn = Static<typeof MappedColumn>

/** What is remembered of a column: where it went, and the order of its dates; null where they have none to choose. */
export const RememberedColumnInput = Type.Object({
  ...MappedColumn.properties,
  date_format: withDefault(Nullable(Type.Enum([...dateFormats])), null)
})
export type RememberedColumnInput = Static<typeof RememberedColumnInput>

/** What the wizard asks before an import of such a file. */
export const MappingSettings = Type.Object({
  columns: Type.Array(MappedColumn, { minItems: 1, maxItems: maxColumns }),
  /** Left out where nobody has chosen one yet. */
  date_format: Type.Optional(Type.Enum([...dateFormats])),
  subscriber_defaults,
  overwrite,
  overwrite_what,
  overwrite_when_status
})
export type MappingSettings = Static<typeof MappingSettings>

export const ImportMappingInput = Type.Object({
  name: Filled({ maxLength: 255 }),
  ...MappingSettings.properties
})

export const ImportMapping = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  ...MappingSettings.properties
})
export type ImportMapping = Static<typeof ImportMapping>
