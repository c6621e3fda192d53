import { type Static, Type } from 'typebox'
import { Nullable } from '../../http/schema.ts'
import { readableCharacterSets } from '../character-sets.ts'
import { serviceIds } from '../knowledge/services.ts'
import { FileSource, fileKinds, Reading } from '../schema.ts'

/** Examples of values, with their number. */
export const Examples = Type.Object({ count: Type.Integer(), values: Type.Array(Type.String()) })
export type Examples = Static<typeof Examples>

/** The contents of a column, as far as the file was read. */
export const ColumnAnalysis = Type.Object({
  header: Type.String(),
  samples: Type.Array(Type.String()),
  filled: Type.Integer(),
  /** The values, most frequent first, if there are few. */
  words: Nullable(Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() }))),
  /** Values that do not fit a type; null if most do not. */
  unfit: Type.Object({
    number: Nullable(Examples),
    boolean: Nullable(Examples),
    date: Nullable(Examples),
    day_of_year: Nullable(Examples)
  }),
  /** Numbers of dates that are valid in only one order of day and month, and in both. */
  orders: Type.Object({ mdy: Type.Integer(), dmy: Type.Integer(), both: Type.Integer() }),
  /** Dates that are valid in both orders. */
  ambiguous: Type.Array(Type.String()),
  /** True if a column with this header was read like this in the last import. */
  remembered: Type.Boolean()
})
export type ColumnAnalysis = Static<typeof ColumnAnalysis>

const findingRules = [
  'no_rows',
  'partly_read',
  'duplicate_headers',
  'renamed_field',
  'enclosed_lines',
  'totals_left_out',
  'preamble_skipped',
  'no_values',
  'lost_digits',
  'text_marks',
  'tidied',
  'cleaned_addresses',
  'several_addresses',
  'opted_out',
  'only_opted_out',
  'failure_column',
  'ambiguous_dates',
  'mixed_dates',
  'unfit_values',
  'character_set_unsure',
  'other_sheets',
  'other_files'
] as const

/** Something the wizard reports about a file, with the parameters of its text. */
export const Finding = Type.Object({
  rule: Type.Enum([...findingRules]),
  /** From 0; null = the whole file. */
  column: Nullable(Type.Integer()),
  count: Type.Integer(),
  values: Type.Array(Type.String())
})
export type Finding = Static<typeof Finding>

/** The user's choices about how to read the file; the rest is detected. */
export const ReadingChoices = Type.Object({
  ...Type.Partial(
    Type.Pick(FileSource, ['entry', 'sheet', 'character_set', 'csv_field_separator', 'csv_field_enclosure'])
  ).properties,
  header_line: Type.Optional(Nullable(Type.Integer({ minimum: 1 }))),
  removes_text_marks: Type.Optional(Type.Boolean()),
  /** The service that wrote the file; null = unknown. */
  service: Type.Optional(Nullable(Type.Enum([...serviceIds])))
})
export type ReadingChoices = Static<typeof ReadingChoices>

export const FileAnalysis = Type.Object({
  kind: Type.Enum([...fileKinds]),
  bytes: Type.Integer(),
  /** The number of examined rows, and whether these are all. */
  rows_read: Type.Integer(),
  is_complete: Type.Boolean(),
  /** The files of an archive or sheets of a spreadsheet to choose from. */
  entries: Type.Array(Type.String()),
  sheets: Type.Array(Type.String()),
  /** The service that wrote the file, detected from the headers or chosen by the user. */
  service: Nullable(Type.Enum([...serviceIds])),
  /** Names of the file in the possible character sets, likeliest first. */
  character_sets: Type.Array(
    Type.Object({ character_set: Type.Enum(readableCharacterSets), samples: Type.Array(Type.String()) })
  ),
  reading: Reading,
  columns: Type.Array(ColumnAnalysis),
  /** The first rows of the file. */
  rows: Type.Array(Type.Array(Type.String())),
  findings: Type.Array(Finding)
})
export type FileAnalysis = Static<typeof FileAnalysis>
