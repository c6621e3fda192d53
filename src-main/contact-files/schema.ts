import { type Static, Type } from 'typebox'
import { customFieldTypes } from '../api/custom-fields/schema.ts'
import {
  dateFormats,
  fieldEnclosures,
  fieldSeparators,
  maxColumns
} from '../api/subscriber-imports/schema.ts'
import { type SubscriberStatus, subscriberStatuses } from '../api/subscribers/schema.ts'
import { Nullable, withDefault } from '../http/schema.ts'
import { readableCharacterSets } from './character-sets.ts'

// "How to read this file": everything that the wizard of an import finds out about a file, or asks, before its rows are imported.

export const fileKinds = ['csv', 'xlsx', 'ods', 'vcard'] as const
export type FileKind = (typeof fileKinds)[number]

/** Where the rows are in the file, and how they are written. */
export const FileSource = Type.Object({
  kind: Type.Enum([...fileKinds]),
  /** The file in a zip archive; null for the only one, or without an archive. */
  entry: withDefault(Nullable(Type.String()), null),
  /** The sheet of a spreadsheet; null = the first. */
  sheet: withDefault(Nullable(Type.String()), null),
  /** A label of the WHATWG Encoding Standard; ignored for spreadsheets. */
  character_set: Type.Enum(readableCharacterSets),
  csv_field_separator: Type.Enum([...fieldSeparators]),
  csv_field_enclosure: Type.Enum([...fieldEnclosures]),
  /** True if each line is enclosed as a whole, in addition to its cells. */
  encloses_lines: withDefault(Type.Boolean(), false)
})
export type FileSource = Static<typeof FileSource>

/** The status for unknown words, so that no mail is sent by mistake. */
export const cautiousStatus: SubscriberStatus = 'deactivated'

const Status = Type.Enum([...subscriberStatuses])

/**
 * The meaning of a column's values: statuses; consents, of which one is enough if several columns ask for
 * one; or objections, of which one is enough to exclude.
 */
const statusRuleKinds = ['status', 'consent', 'objection'] as const

/** The statuses that a column's values, as statusKey() writes them, stand for. */
export const StatusRule = Type.Object({
  kind: Type.Enum([...statusRuleKinds]),
  words: Type.Record(Type.String(), Status),
  /** For a blank cell; null = no effect. */
  blank: Nullable(Status),
  /** For every other value; null = no effect, or, among statuses, the row fails. */
  other: Nullable(Status)
})
export type StatusRule = Static<typeof StatusRule>

export const mixedDates = ['one_order', 'other_order', 'blank_ambiguous'] as const
export const unfitValues = ['fail', 'blank'] as const

const fillIns = ['email', 'subscribe_time', 'subscribe_ip', 'nothing'] as const
export type FillIn = (typeof fillIns)[number]

export const ReadingColumn = Type.Object({
  header: Type.String(),
  /** As in column_mapping; null = skipped. */
  target: Nullable(Type.String()),
  /** The target whose blank cells this column fills; 'nothing' = the user decided against it. */
  fills_in: withDefault(Nullable(Type.Enum([...fillIns])), null),
  /** The type of a custom field that the import creates; null for an existing one. */
  new_field_type: withDefault(Nullable(Type.Enum([...customFieldTypes])), null),
  status: withDefault(Nullable(StatusRule), null),
  date_order: withDefault(Nullable(Type.Enum([...dateFormats])), null),
  /** The treatment of dates that are invalid in date_order, and to those that are valid in both orders. */
  mixed_dates: withDefault(Type.Enum([...mixedDates]), 'one_order'),
  /** The treatment of a value that the field cannot store. */
  unfit: withDefault(Type.Enum([...unfitValues]), 'fail'),
  /** Between the options of a cell. */
  option_separator: withDefault(Type.Enum([';', ',', '|']), ';'),
  /** False for an empty column, which is skipped for that reason. */
  had_values: withDefault(Type.Boolean(), true)
})
export type ReadingColumn = Static<typeof ReadingColumn>

export function newColumn(header: string, target: string | null): ReadingColumn {
  return {
    header,
    target,
    fills_in: null,
    new_field_type: null,
    status: null,
    date_order: null,
    mixed_dates: 'one_order',
    unfit: 'fail',
    option_separator: ';',
    had_values: true
  }
}

/** A row that was corrected before the import, replacing the one at its line of the file, from 1. */
const CorrectedRow = Type.Object({ line: Type.Integer({ minimum: 1 }), cells: Type.Array(Type.String()) })
export const maxCorrectedRows = 5000

export const optedOutChoices = ['as_said', 'leave_out', 'active'] as const
export const addressChoices = ['first', 'each'] as const
export const blankCellChoices = ['keep', 'clear'] as const

export const Reading = Type.Object({
  version: Type.Literal(1),
  file: FileSource,
  /** The header's line, from 1; null = no header. */
  header_line: Nullable(Type.Integer({ minimum: 1 })),
  /** True = skip rows without an address that begin with "Total" or similar. */
  leaves_out_totals: Type.Boolean(),
  /** True = remove the apostrophe with which a spreadsheet keeps a number as text. */
  removes_text_marks: Type.Boolean(),
  /** True = remove the apostrophe that keeps a cell from being executed as a formula; see csv/formulas.ts. */
  unescapes_formulas: Type.Boolean(),
  tidies_values: Type.Boolean(),
  several_addresses: Type.Enum([...addressChoices]),
  /** True if the file is a list of contacts who opted out, though no column says so. */
  all_opted_out: withDefault(Type.Boolean(), false),
  /** The treatment of contacts who opted out. */
  opted_out: Type.Enum([...optedOutChoices]),
  /** The effect of a blank cell on an updated subscriber. */
  blank_cells: Type.Enum([...blankCellChoices]),
  columns: Type.Array(ReadingColumn, { minItems: 1, maxItems: maxColumns }),
  /** Only for this file: {@link reusableReading} removes them. */
  corrected_rows: withDefault(Type.Array(CorrectedRow, { maxItems: maxCorrectedRows }), [])
})
export type Reading = Static<typeof Reading>

/** Returns the part of a reading that applies to other files of the same kind. */
export function reusableReading(reading: Reading): Reading {
  return { ...reading, corrected_rows: [] }
}

/** null for an import of the API, whose settings are complete. */
export function readingOf({ reading }: { reading: string | null }): Reading | null {
  return reading === null ? null : (JSON.parse(reading) as Reading)
}

/** Returns the column names of a file, or null. */
export function headersOf({ header_line, columns }: Reading): string[] | null {
  return header_line === null ? null : columns.map(({ header }) => header)
}

/** Normalizes a header for comparisons between files: case and outer white space do not matter. */
export function rememberedKey(header: string): string {
  return header.trim().toLowerCase()
}

/** Normalizes a word for the rules of statuses. */
export function statusKey(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
}
