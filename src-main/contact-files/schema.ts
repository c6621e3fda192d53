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

/** Where the rows are in the file, and how they are written there. */
export const FileSource = Type.Object({
  kind: Type.Enum([...fileKinds]),
  /** The file inside a zip archive; null for the only one, or for no archive. */
  entry: withDefault(Nullable(Type.String()), null),
  /** The sheet of a spreadsheet; null for the first one. */
  sheet: withDefault(Nullable(Type.String()), null),
  /** A label of the WHATWG Encoding Standard; of no meaning for spreadsheets. */
  character_set: Type.Enum(readableCharacterSets),
  csv_field_separator: Type.Enum([...fieldSeparators]),
  csv_field_enclosure: Type.Enum([...fieldEnclosures]),
  /** Whether each line is enclosed as a whole, besides its cells. */
  encloses_lines: withDefault(Type.Boolean(), false)
})
export type FileSource = Static<typeof FileSource>

/** The status for an unknown word, so that no mail is sent by mistake. */
export const cautiousStatus: SubscriberStatus = 'deactivated'

const Status = Type.Enum([...subscriberStatuses])

/**
 * What the values of a column are: statuses, or a consent to be written to, of which one is enough where several columns ask for
 * one, or an objection, of which one is enough to count.
 */
const statusRuleKinds = ['status', 'consent', 'objection'] as const

/** What a column says of a subscriber's status, by its values as statusKey() writes them. */
export const StatusRule = Type.Object({
  kind: Type.Enum([...statusRuleKinds]),
  words: Type.Record(Type.String(), Status),
  /** For a blank cell; null = it says nothing. */
  blank: Nullable(Status),
  /** For every other value; null = it says nothing, or, among statuses, the row fails. */
  other: Nullable(Status)
})
export type StatusRule = Static<typeof StatusRule>

export const mixedDates = ['one_order', 'other_order', 'blank_ambiguous'] as const
export const unfitValues = ['fail', 'blank'] as const

/** Where the blank cells of one column can be filled from another one. */
const fillIns = ['email', 'subscribe_time', 'subscribe_ip', 'nothing'] as const
export type FillIn = (typeof fillIns)[number]

export const ReadingColumn = Type.Object({
  header: Type.String(),
  /** As in column_mapping; null = the column is left out. */
  target: Nullable(Type.String()),
  /** The target whose value this column holds where the column of that target is blank, whatever else it is; 'nothing' = a person said so. */
  fills_in: withDefault(Nullable(Type.Enum([...fillIns])), null),
  /** The type of the custom field that the import creates for it; null for one that the list has. */
  new_field_type: withDefault(Nullable(Type.Enum([...customFieldTypes])), null),
  status: withDefault(Nullable(StatusRule), null),
  date_order: withDefault(Nullable(Type.Enum([...dateFormats])), null),
  /** What becomes of dates that cannot be read in date_order, and of those that can be read in both orders. */
  mixed_dates: withDefault(Type.Enum([...mixedDates]), 'one_order'),
  /** What becomes of a value that the field cannot hold. */
  unfit: withDefault(Type.Enum([...unfitValues]), 'fail'),
  /** Between the options of checkboxes. */
  option_separator: withDefault(Type.Enum([';', ',', '|']), ';'),
  /** False for a column without any value, which is left out for that reason. */
  had_values: withDefault(Type.Boolean(), true)
})
export type ReadingColumn = Static<typeof ReadingColumn>

/** A column of which nothing is known but where it goes. */
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

/** A row that was corrected before the import, in the place of the one that begins at its line of the file, from 1. */
const CorrectedRow = Type.Object({ line: Type.Integer({ minimum: 1 }), cells: Type.Array(Type.String()) })
export const maxCorrectedRows = 5000

export const optedOutChoices = ['as_said', 'leave_out', 'active'] as const
export const addressChoices = ['first', 'each'] as const
export const blankCellChoices = ['keep', 'clear'] as const

export const Reading = Type.Object({
  version: Type.Literal(1),
  file: FileSource,
  /** The line, from 1, at which the column names stand; null = there are none. */
  header_line: Nullable(Type.Integer({ minimum: 1 })),
  /** Whether rows without an address that begin with "Total" and the like are left out. */
  leaves_out_totals: Type.Boolean(),
  /** Whether the apostrophe goes by which a spreadsheet keeps a number as text. */
  removes_text_marks: Type.Boolean(),
  /** Whether the apostrophe goes that keeps a cell from being executed as a formula; see csv/formulas.ts. */
  unescapes_formulas: Type.Boolean(),
  tidies_values: Type.Boolean(),
  several_addresses: Type.Enum([...addressChoices]),
  /** Whether the file is one of people who have opted out although no column says so. */
  all_opted_out: withDefault(Type.Boolean(), false),
  /** What becomes of people who have opted out. */
  opted_out: Type.Enum([...optedOutChoices]),
  /** What a blank cell does to a value of a subscriber who is updated. */
  blank_cells: Type.Enum([...blankCellChoices]),
  columns: Type.Array(ReadingColumn, { minItems: 1, maxItems: maxColumns }),
  /** Of this one file: {@link reusableReading} has none. */
  corrected_rows: withDefault(Type.Array(CorrectedRow, { maxItems: maxCorrectedRows }), [])
})
export type Reading = Static<typeof Reading>

/** What of a reading holds for other files of the same kind. */
export function reusableReading(reading: Reading): Reading {
  return { ...reading, corrected_rows: [] }
}

/** How the file of an import is read; null for one of the API, whose settings are complete. */
export function readingOf({ reading }: { reading: string | null }): Reading | null {
  return reading === null ? null : (JSON.parse(reading) as Reading)
}

/** The column names of a file; null where it has none. */
export function headersOf({ header_line, columns }: Reading): string[] | null {
  return header_line === null ? null : columns.map(({ header }) => header)
}

/** The form in which the headers of two files are compared: case and white space around them do not matter. */
export function rememberedKey(header: string): string {
  return header.trim().toLowerCase()
}

/** The form in which a word is looked up in a rule for statuses. */
export function statusKey(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
}
