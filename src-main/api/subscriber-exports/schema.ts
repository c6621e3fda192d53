import { type Static, Type } from 'typebox'
import { Nullable, Timestamp, withDefault, WindowFault } from '../../http/schema.ts'
import { fieldEnclosures, FieldSeparator, maxColumns } from '../subscriber-imports/schema.ts'
import { subscriberStatuses } from '../subscribers/schema.ts'

/** The states of a SubscriberExport job (docs/api.md, "Jobs"). */
export const exportStates = [
  'idle',
  'estimating',
  'exporting',
  'paused',
  'finished',
  'failed',
  'cancelled'
] as const
export type ExportState = (typeof exportStates)[number]

const ExportFormat = Type.Object({
  csv_has_headers: withDefault(Type.Boolean(), true),
  csv_field_separator: FieldSeparator,
  csv_field_enclosure: withDefault(Type.Enum([...fieldEnclosures]), '"'),
  /**
   * Puts an apostrophe before cells that a spreadsheet would execute; an import with the same setting removes
   * it.
   */
  escape_formulas: withDefault(Type.Boolean(), false)
})
export type ExportFormat = Static<typeof ExportFormat>

const Statuses = Type.Array(Type.Enum([...subscriberStatuses]), { minItems: 1 })

/** docs/api.md, "Subscriber exports". */
export const SubscriberExportInput = Type.Object({
  segment_id: Type.Optional(Nullable(Type.Integer())),
  /** Default: all. */
  statuses: Type.Optional(Statuses),
  /** As in column_mapping of an import; default: all columns of the list. */
  columns: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: maxColumns })),
  file_format: withDefault(Type.Object(ExportFormat.properties), {})
})
export type SubscriberExportInput = Static<typeof SubscriberExportInput>

/** The contents of an export, stored for a restart. */
export const ExportSettings = Type.Object({
  segment_id: Nullable(Type.Integer()),
  statuses: Statuses,
  columns: Type.Array(Type.String()),
  file_format: ExportFormat
})
export type ExportSettings = Static<typeof ExportSettings>

export const SubscriberExport = Type.Object({
  id: Type.Integer(),
  mailing_list_id: Type.Integer(),
  mailing_list_name: Type.String(),
  created_at: Timestamp,
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
  state: Type.Enum([...exportStates]),
  error_message: Nullable(Type.String()),
  fault: WindowFault,
  ...ExportSettings.properties,
  stats: Type.Object({
    number_of_records: Nullable(Type.Integer()),
    records_exported: Type.Integer()
  })
})
export type SubscriberExport = Static<typeof SubscriberExport>
