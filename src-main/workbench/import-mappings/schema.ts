import { type Static, Type } from 'typebox'
import { Reading } from '../../contact-files/schema.ts'
import { Filled, Nullable } from '../../http/schema.ts'
import { dateFormats, maxColumns, SubscriberImportInput } from '../../api/subscriber-imports/schema.ts'

const { overwrite, overwrite_what, overwrite_when_status, subscriber_defaults } =
  SubscriberImportInput.properties

/** A column of a file, and where it goes as in column_mapping; null = it is left out. */
export const MappedColumn = Type.Object({ header: Type.String(), target: Nullable(Type.String()) })
export type MappedColumn = Static<typeof MappedColumn>

/** The answers of the import wizard. */
export const MappingSettings = Type.Object({
  reading: Type.Optional(Reading),
  /**
   * Only in mappings saved before readings existed: the target of each column, and the order of its
   * dates.
   */
  columns: Type.Optional(Type.Array(MappedColumn, { minItems: 1, maxItems: maxColumns })),
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
