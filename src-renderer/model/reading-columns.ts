import { isImportColumn } from '../../src-main/api/subscriber-imports/rules.ts'
import type { CustomFieldType } from '../../src-main/api/custom-fields/schema.ts'
import { subscriberStatuses, type SubscriberStatus } from '../../src-main/api/subscribers/schema.ts'
import { datesOf } from '../../src-main/contact-files/date-orders.ts'
import { fieldCode, freeFieldName } from '../../src-main/contact-files/field-names.ts'
import {
  cautiousStatus,
  maxCorrectedRows,
  rememberedKey,
  statusKey
} from '../../src-main/contact-files/schema.ts'
import type { ColumnAnalysis, FileAnalysis, Reading, ReadingColumn } from '../api/contact-files.ts'
import type { CustomField } from '../api/custom-fields.ts'
import type { ImportMapping } from '../api/workbench.ts'

/** The target of a column as an item of its menu: "skip", "new", or kind and name. */
export type TargetChoice = 'skip' | 'new' | `reserved ${string}` | `field ${string}`

/** Types that a new field can have here: those that need no list of options. */
export const newFieldTypes: readonly CustomFieldType[] = [
  'text',
  'text_multiline',
  'number',
  'date',
  'day_of_year',
  'boolean'
]

export function targetChoice({ target, new_field_type }: ReadingColumn): TargetChoice {
  if (target === null) return 'skip'
  if (new_field_type) return 'new'
  return isImportColumn(target) ? `reserved ${target}` : `field ${target}`
}

/** The type by which a column's values are read; null = unchanged. */
type ValueKind = 'date' | 'day_of_year' | 'number' | 'boolean' | 'select_multiple_checkboxes' | null

export function valueKind({ target, new_field_type }: ReadingColumn, fields: CustomField[]): ValueKind {
  if (target === 'subscribe_time' || target === 'remove_time') return 'date'
  const type = new_field_type ?? fields.find(({ name }) => name === target)?.field_type
  switch (type) {
    case 'date':
    case 'day_of_year':
    case 'number':
    case 'boolean':
    case 'select_multiple_checkboxes':
      return type
    default:
      return null
  }
}

/**
 * Returns a column with another target, and the settings for dates, statuses and invalid values that this
 * target needs.
 */
export function retargeted(
  column: ReadingColumn,
  choice: TargetChoice,
  analysis: ColumnAnalysis,
  reading: Reading,
  fields: CustomField[]
): ReadingColumn {
  const plain: ReadingColumn = { ...column, target: null, new_field_type: null }
  if (choice === 'skip') return { ...plain, status: column.status }
  if (choice === 'new') return newField(plain, analysis, reading, fields)
  const name = choice.slice(choice.indexOf(' ') + 1)
  const to = {
    ...plain,
    target: name,
    status: name === 'status' ? statusRule(column, analysis) : column.status
  }
  const kind = valueKind(to, fields)
  return kind === 'date' || kind === 'day_of_year'
    ? { ...to, ...datesOf(analysis.orders), unfit: 'blank' }
    : to
}

function statusRule({ status }: ReadingColumn, { words }: ColumnAnalysis): ReadingColumn['status'] {
  if (status) return status
  const known = (value: string): SubscriberStatus =>
    subscriberStatuses.find((each) => each === value.toLowerCase()) ?? cautiousStatus
  return {
    kind: 'status',
    words: Object.fromEntries((words ?? []).map(({ value }) => [statusKey(value), known(value)])),
    blank: null,
    other: null
  }
}

function newField(
  column: ReadingColumn,
  analysis: ColumnAnalysis,
  reading: Reading,
  fields: CustomField[]
): ReadingColumn {
  const names = [...fields.map(({ name }) => name), ...reading.columns.flatMap(({ target }) => target ?? [])]
  const taken = new Set(names.map((name) => name.toLowerCase()))
  const index = reading.columns.findIndex(({ header }) => header === column.header)
  const wanted = column.header === '' ? `Column ${index + 1}` : column.header
  const target = freeFieldName(wanted, taken, new Set([...names.map(fieldCode), 'email', 'status']))
  return retyped({ ...column, target }, typeFor(analysis), analysis)
}

function typeFor({ unfit, samples }: ColumnAnalysis): CustomFieldType {
  const fitting = (['number', 'boolean', 'date'] as const).find((type) => unfit[type]?.count === 0)
  if (fitting && samples.length > 0) return fitting
  return samples.some((sample) => sample.includes('\n')) ? 'text_multiline' : 'text'
}

/** Returns a column with another type of its new field. */
export function retyped(
  column: ReadingColumn,
  new_field_type: CustomFieldType,
  { orders }: ColumnAnalysis
): ReadingColumn {
  const isDate = new_field_type === 'date' || new_field_type === 'day_of_year'
  return {
    ...column,
    new_field_type,
    date_order: null,
    ...(isDate && datesOf(orders)),
    unfit: new_field_type === 'text' || new_field_type === 'text_multiline' ? 'fail' : 'blank'
  }
}

/** The proposal of a file that was analyzed anew, with what a person changed of the one before. */
export function keptReading(
  before: { analysis: FileAnalysis; reading: Reading },
  after: FileAnalysis
): Reading {
  const { analysis, reading } = before
  const changed = <Key extends keyof Reading>(key: Key): Partial<Reading> =>
    reading[key] === analysis.reading[key] ? {} : { [key]: reading[key] }
  return {
    ...after.reading,
    ...changed('tidies_values'),
    ...changed('several_addresses'),
    ...changed('opted_out'),
    ...changed('blank_cells'),
    corrected_rows: hasSameRows(analysis.reading, after.reading) ? reading.corrected_rows : [],
    columns: after.reading.columns.map((proposal, index) => {
      const place = placeBefore(analysis, after, proposal.header, index)
      const chosen = reading.columns[place]
      const proposed = analysis.reading.columns[place]
      const isChanged = chosen && JSON.stringify(chosen) !== JSON.stringify(proposed)
      return isChanged ? { ...chosen, header: proposal.header } : proposal
    })
  }
}

const maxCorrectedCells = 150_000

/**
 * Adds rows to the corrected rows. If a line was corrected more than once, its last correction applies. Returns null if there are
 * too many rows or cells.
 */
export function withCorrectedRows(
  { corrected_rows = [] }: Partial<Pick<Reading, 'corrected_rows'>>,
  rows: readonly { line: number; cells: string[] }[]
): Reading['corrected_rows'] | null {
  const byLine = new Map([...corrected_rows, ...rows].map(({ line, cells }) => [line, cells]))
  const all = [...byLine].map(([line, cells]) => ({ line, cells }))
  const cells = all.reduce((sum, row) => sum + row.cells.length, 0)
  return all.length > maxCorrectedRows || cells > maxCorrectedCells ? null : all
}

function hasSameRows(before: Reading, after: Reading): boolean {
  return (
    JSON.stringify(before.file) === JSON.stringify(after.file) &&
    before.columns.length === after.columns.length
  )
}

function placeBefore(before: FileAnalysis, after: FileAnalysis, header: string, index: number): number {
  if (before.columns[index]?.header === header) return index
  const named = before.columns.findIndex((each) => header !== '' && each.header === header)
  return named === -1 && before.columns.length === after.columns.length ? index : named
}

/** Returns why an import cannot start: the key of a text and its parameters; null = it can. */
export function complaintOf(
  { columns }: Reading,
  fields: CustomField[]
): { key: string; params: Record<string, string> } | null {
  const names = columns.flatMap(({ target }) => target?.trim() ?? [])
  const keys = names.map((name) => name.toLowerCase())
  const twice = names.find((_, index) => keys.indexOf(keys[index] ?? '') !== index)
  if (twice !== undefined) return { key: 'wizard.twice', params: { name: twice } }
  for (const { target, new_field_type } of columns) {
    if (!new_field_type || target === null) continue
    const fault = nameFault(target, columns, fields)
    if (fault) return fault
  }
  return keys.includes('email') ? null : { key: 'wizard.noEmail', params: {} }
}

/** Returns what is wrong with the name of a new field. */
export function nameFault(
  target: string,
  columns: readonly ReadingColumn[],
  fields: readonly Pick<CustomField, 'name'>[]
): { key: string; params: Record<string, string> } | null {
  const name = target.trim()
  if (name === '') return { key: 'wizard.unnamed', params: {} }
  if (isImportColumn(name.toLowerCase())) return { key: 'wizard.reservedName', params: { name } }
  if (name.includes('%')) return { key: 'wizard.nameWithoutCode', params: { name } }
  const existing = fields.find((field) => field.name.toLowerCase() === name.toLowerCase())
  if (existing) return { key: 'wizard.existingField', params: { name: existing.name } }
  const others = [
    ...fields.map((field) => field.name),
    ...columns.flatMap((column) => (column.target === target ? [] : (column.target ?? [])))
  ]
  const same = others.find((other) => fieldCode(other) === fieldCode(name))
  return same === undefined
    ? null
    : { key: 'wizard.sameCode', params: { name, other: same, code: `%%${fieldCode(name)}%%` } }
}

/** The proposal with a mapping that was saved before readings were: it says where columns go, by header or by place. */
export function mappedColumnsApplied(
  { columns: mapped = [], date_format }: Pick<ImportMapping, 'columns' | 'date_format'>,
  reading: Reading,
  fields: readonly Pick<CustomField, 'name'>[]
): Reading {
  const hasHeaders = reading.columns.some(({ header }) => header !== '')
  return {
    ...reading,
    columns: reading.columns.map((column, index) => {
      const known = hasHeaders
        ? mapped.find(({ header }) => rememberedKey(header) === rememberedKey(column.header))
        : mapped[index]
      if (!known) return column
      const field = fields.find(({ name }) => name.toLowerCase() === known.target?.toLowerCase())
      const target = known.target === null || isImportColumn(known.target) ? known.target : field?.name
      if (target === undefined) return column
      return { ...column, target, new_field_type: null, ...(date_format && { date_order: date_format }) }
    })
  }
}
