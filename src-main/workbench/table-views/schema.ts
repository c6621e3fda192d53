import { type Static, Type } from 'typebox'
import { ConditionsInput } from '../../api/segments/schema.ts'
import { Filled, Nullable } from '../../http/schema.ts'
import { TableSort } from '../subscriber-table/endpoints.ts'

/** In pixels: narrower columns cannot be resized, wider ones fill the screen. */
export const [minColumnWidth, maxColumnWidth] = [64, 1200]

/** A column of the table: one of subscribers by its name in the API, or a custom field as "field ID". */
const ViewColumn = Type.Object({
  key: Type.String({ pattern: '^(?:[a-z_]{1,30}|field [0-9]{1,15})$' }),
  /** In pixels; null = automatic. */
  width: Nullable(Type.Integer({ minimum: minColumnWidth, maximum: maxColumnWidth }))
})

/** The columns and order of the table. Columns that were deleted are skipped. */
export const ViewSettings = Type.Object({
  clause: ConditionsInput,
  segment_id: Nullable(Type.Integer()),
  sort: Nullable(TableSort),
  /** The visible columns, from left to right. */
  columns: Type.Array(ViewColumn, { minItems: 1, maxItems: 500 })
})
export type ViewSettings = Static<typeof ViewSettings>

export const TableViewInput = Type.Object({ name: Filled({ maxLength: 100 }), ...ViewSettings.properties })

export const TableView = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  ...ViewSettings.properties
})
export type TableView = Static<typeof TableView>
