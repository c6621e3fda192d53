import { type Static, Type } from 'typebox'
import {
  Filled,
  Nullable,
  Reference,
  Timestamp,
  choices,
  spellings,
  withDefault,
  WindowFault
} from '../../http/schema.ts'
import { subscriberStatuses } from '../subscribers/schema.ts'

/** docs/api.md, "Subscriber imports". */
export const importStates = [
  'scheduled',
  'downloading',
  'splitting',
  'importing',
  'paused',
  'finished',
  'failed',
  'cancelled'
] as const
export type ImportState = (typeof importStates)[number]

/** The possible outcomes of a row, in the order of stats.subscribers; also the names of the logs. */
export const importOutcomes = [
  'added',
  'updated',
  'failed',
  'skipped_overwrite',
  'skipped_active',
  'skipped_unsubscribed',
  'skipped_scomp',
  'skipped_bounced',
  'skipped_deactivated',
  'skipped_duplicate',
  'skipped_over_limit'
] as const
export type ImportOutcome = (typeof importOutcomes)[number]

export const characterSets = ['UTF-8', 'ISO-8859-1'] as const
/** Comma and tab as in the API, and two more that spreadsheets use. */
export const fieldSeparators = [',', '\t', ';', '|'] as const
/** Clients may write the separators by name. */
export const FieldSeparator = withDefault(
  Type.Enum([...fieldSeparators], { [spellings]: { tab: '\t', comma: ',', '\\t': '\t' } }),
  ','
)
export const fieldEnclosures = ['"', "'"] as const
export const dateFormats = ['mdy', 'dmy'] as const

/** Limit of columns in a file. */
export const maxColumns = 1000
/** Bytes of file_source.content; the API promises 10 MB. */
export const maxJsonContentBytes = 16 * 1024 * 1024

const outcomeCounts = Object.fromEntries(
  importOutcomes.map((outcome) => [outcome, Type.Integer()])
) as Record<ImportOutcome, ReturnType<typeof Type.Integer>>

export const ImportCounts = Type.Object(outcomeCounts)
export type ImportCounts = Static<typeof ImportCounts>

export function zeroCounts(): ImportCounts {
  return Object.fromEntries(importOutcomes.map((outcome) => [outcome, 0])) as ImportCounts
}

/** Adds the outcomes of rows, each an index into importOutcomes. */
export function addCounts(counts: ImportCounts, outcomes: Uint8Array): ImportCounts {
  const perCode = new Array<number>(importOutcomes.length).fill(0)
  for (const code of outcomes) perCode[code] = (perCode[code] ?? 0) + 1
  for (const [code, outcome] of importOutcomes.entries()) counts[outcome] += perCode[code] ?? 0
  return counts
}

const AutoresponderReference = Type.Object({
  id: Type.Optional(Nullable(Type.Integer())),
  name: Type.Optional(Nullable(Type.String()))
})

const OverwriteWhat = Type.Object({
  custom_fields: withDefault(Type.Boolean(), true),
  confirmed: withDefault(Type.Boolean(), false),
  format: withDefault(Type.Boolean(), false),
  status: withDefault(Type.Boolean(), false),
  autoresponder: withDefault(Type.Boolean(), false)
})

const OverwriteWhenStatus = Type.Object({
  active: withDefault(Type.Boolean(), true),
  unsubscribed: withDefault(Type.Boolean(), false),
  bounced: withDefault(Type.Boolean(), false),
  deactivated: withDefault(Type.Boolean(), false),
  scomp: withDefault(Type.Boolean(), false)
})

const FileFormat = Type.Object({
  csv_has_headers: withDefault(Type.Boolean(), true),
  /** In any letter case, answered as sent (docs/api.md, "Subscriber imports"). */
  character_set: withDefault(
    Type.String({ pattern: '^(?:[Uu][Tt][Ff]-8|[Ii][Ss][Oo]-8859-1)$', [choices]: characterSets }),
    'UTF-8'
  ),
  csv_field_separator: FieldSeparator,
  csv_field_enclosure: withDefault(Type.Enum([...fieldEnclosures]), '"'),
  date_format: withDefault(Type.Enum([...dateFormats]), 'mdy'),
  /**
   * True = remove an apostrophe that keeps a spreadsheet from reading a cell as a formula; see
   * exports/formulas.ts.
   */
  escape_formulas: Type.Optional(Type.Boolean())
})
export type FileFormat = Static<typeof FileFormat>

const SubscriberDefaults = Type.Object({
  status: withDefault(Type.Enum([...subscriberStatuses]), 'active'),
  confirmed: Type.Optional(Type.Boolean()),
  format: Type.Optional(Type.String())
})

/** Settings for reading and applying the rows of a file, stored for a restart. */
export const ImportSettings = Type.Object({
  overwrite: withDefault(Type.Boolean(), false),
  overwrite_what: OverwriteWhat,
  overwrite_when_status: OverwriteWhenStatus,
  /** A blank entry skips its column. */
  column_mapping: Type.Array(Nullable(Type.String()), { minItems: 1, maxItems: maxColumns }),
  default_custom_fields: Type.Record(Type.String(), Type.Unknown()),
  subscriber_defaults: SubscriberDefaults,
  file_format: FileFormat
})
export type ImportSettings = Static<typeof ImportSettings>

export const AutorespondersInput = Type.Object({
  subscription: Type.Optional(
    Type.Object({
      trigger: Type.Optional(Type.Boolean()),
      also_trigger_on_updated_subscribers: Type.Optional(Type.Boolean())
    })
  ),
  api: Type.Optional(
    Type.Object({
      trigger_new: Type.Optional(Nullable(AutoresponderReference)),
      trigger_updated: Type.Optional(Nullable(AutoresponderReference))
    })
  )
})

export type AutorespondersInput = Static<typeof AutorespondersInput>

export const SubscriberImportInput = Type.Object({
  begins_at: Type.Optional(Type.Union([Type.Integer(), Type.String()])),
  overwrite: withDefault(Type.Boolean(), false),
  autoresponders: Type.Optional(AutorespondersInput),
  overwrite_what: withDefault(Type.Object(OverwriteWhat.properties), {}),
  overwrite_when_status: withDefault(Type.Object(OverwriteWhenStatus.properties), {}),
  column_mapping: ImportSettings.properties.column_mapping,
  default_custom_fields: withDefault(Type.Record(Type.String(), Type.Unknown()), {}),
  subscriber_defaults: withDefault(Type.Object(SubscriberDefaults.properties), {}),
  file_source: Type.Object({
    type: Type.Enum(['json', 'upload_directory', 'url']),
    content: Type.Optional(Type.String()),
    filename: Type.Optional(Filled()),
    url: Type.Optional(Filled({ maxLength: 2000 }))
  }),
  file_format: withDefault(Type.Object(FileFormat.properties), {})
})
export type SubscriberImportInput = Static<typeof SubscriberImportInput>

const common = {
  id: Type.Integer(),
  mailing_list_id: Type.Integer(),
  mailing_list_name: Type.String(),
  created_at: Timestamp,
  begins_at: Timestamp,
  finished_at: Nullable(Timestamp),
  state: Type.Enum([...importStates])
}
const FileSource = Type.Object({
  type: Type.String(),
  filename: Nullable(Type.String()),
  url: Nullable(Type.String())
})

/** An element of the list (docs/api.md, "Subscriber imports"). */
export const SubscriberImportSummary = Type.Object({
  ...common,
  file_source: FileSource,
  stats: Type.Object({
    number_of_records: Nullable(Type.Integer()),
    records_imported: Type.Integer()
  })
})
export type SubscriberImportSummary = Static<typeof SubscriberImportSummary>

export const SubscriberImport = Type.Object({
  ...common,
  error_message: Nullable(Type.String()),
  fault: WindowFault,
  ...ImportSettings.properties,
  autoresponders: Type.Object({
    subscription: Type.Object({
      trigger: Type.Boolean(),
      also_trigger_on_updated_subscribers: Type.Boolean()
    }),
    api: Type.Object({ trigger_new: Nullable(Reference), trigger_updated: Nullable(Reference) })
  }),
  file_source: FileSource,
  stats: Type.Object({
    number_of_records: Nullable(Type.Integer()),
    records_imported: Type.Integer(),
    subscribers: ImportCounts
  })
})
export type SubscriberImport = Static<typeof SubscriberImport>

export const importScopes = ['finished', 'active', 'recent', 'all'] as const
