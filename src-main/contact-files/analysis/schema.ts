import { type Static, Type } from 'typebox'
import { Nullable } from '../../http/schema.ts'
import { readableCharacterSets } from '../character-sets.ts'
import { serviceIds } from '../knowledge/services.ts'
import { FileSource, fileKinds, Reading } from '../schema.ts'

/** Some values of a kind, for a person to see, and how many there are. */
export const Examples = Type.Object({ count: Type.Integer(), values: Type.Array(Type.String()) })
export type Examples = Static<typeof Examples>

/** What a column of a file holds, as far as the file was read. */
export const ColumnAnalysis = Type.Object({
  header: Type.String(),
  samples: Type.Array(Type.String()),
  filled: Type.Integer(),
  /** Its values, the most frequent first, where there are few. */
  words: Nullable(Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() }))),
  /** Values that a field of a type cannot hold; null where most are none of it. */
  unfit: Type.Object({
    number: Nullable(Examples),
    boolean: Nullable(Examples),
    date: Nullable(Examples),
    day_of_year: Nullable(Examples)
  }),
  /** How many dates can be read in one order of day and month only, and in both. */
  orders: Type.Object({ mdy: Type.Integer(), dmy: Type.Integer(), both: Type.Integer() }),
  /** Dates that can be read in both orders. */
  ambiguous: Type.Array(Type.String()),
  /** Whether a column with this header was read like this in the last import. */
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

/** Something that the wizard says of a file, with what fills the sentence. */
export const Finding = Type.Object({
  rule: Type.Enum([...findingRules]),
  /** From 0; null = the file as a whole. */
  column: Nullable(Type.Integer()),
  count: Type.Integer(),
  values: Type.Array(Type.String())
})
export type Finding = Static<typeof Finding>

/** What a person chose of how the file is read; the rest is found out. */
export const ReadingChoices = Type.Object({
  ...Type.Partial(
    Type.Pick(FileSource, ['entry', 'sheet', 'character_set', 'csv_field_separator', 'csv_field_enclosure'])
  ).properties,
  header_line: Type.Optional(Nullable(Type.Integer({ minimum: 1 }))),
  removes_text_marks: Type.Optional(Type.Boolean()),
  /** The service that wrote the file; null = none that is known. */
  service: Type.Optional(Nullable(Type.Enum([...serviceIds])))
})
export type ReadingChoices = Static<typeof ReadingChoices>

export const FileAnalysis = Type.Object({
  kind: Type.Enum([...fileKinds]),
  bytes: Type.Integer(),
  /** How many rows were looked at, and whether these are all. */
  rows_read: Type.Integer(),
  is_complete: Type.Boolean(),
  /** The files in an archive, and the sheets of a spreadsheet, to choose among. */
  entries: Type.Array(Type.String()),
  sheets: Type.Array(Type.String()),
  /** The service that wrote the file, as far as its headers tell or a person said. */
  service: Nullable(Type.Enum([...serviceIds])),
  /** How names of the file look in the character sets that it may be in, the likeliest first. */
  character_sets: Type.Array(
    Type.Object({ character_set: Type.Enum(readableCharacterSets), samples: Type.Array(Type.String()) })
  ),
  reading: Reading,
  columns: Type.Array(ColumnAnalysis),
  /** The first rows as they are in the file. */
  rows: Type.Array(Type.Array(Type.String())),
  findings: Type.Array(Finding)
})
export type FileAnalysis = Static<typeof FileAnalysis>
