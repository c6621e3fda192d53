import { type Refusal, refusal, refusalAt } from '../base/refusal.ts'
import { type FieldDefinition, fieldNamed } from '../api/custom-fields/rules.ts'
import type { CustomFieldType } from '../api/custom-fields/schema.ts'
import { widthComplaint } from '../api/subscriber-imports/width.ts'
import { isEmail } from '../api/subscribers/rules.ts'
import type { SubscriberStatus } from '../api/subscribers/schema.ts'
import { unescapeFormula } from '../csv/formulas.ts'
import { isTotal } from './knowledge/totals.ts'
import type { Reading, ReadingColumn, StatusRule } from './schema.ts'
import { combinedStatus, ownStatuses, statusSaid } from './status-rules.ts'
import { blankInside, readAddresses } from './values/addresses.ts'
import {
  isNoDate,
  possibleDayOrders,
  possibleOrders,
  readDate,
  readDayOfYear,
  writeDate
} from './values/dates.ts'
import { numberLoss } from './values/numbers.ts'
import { isBlankWord, tidyCell, withoutTextMark } from './values/tidy.ts'
import { readTruth } from './values/truth.ts'

/** The cells are in the order of {@link RowInterpreter.mapping}. */
export interface InterpretedRow {
  cells: string[]
  /** Why the row cannot be imported; null = no fault so far. */
  fault: Refusal | null
}

/** Replaces a line break in a cell of a spreadsheet or card, so that each row is one line of CSV. */
export const cellLineBreak = '\u2028'

type ColumnKind = CustomFieldType | 'email' | 'status' | 'time' | 'ip' | 'confirmed' | 'email_format'

/** Returns the type by which a column is read; null = skipped. */
function columnKind(
  { target, new_field_type }: Pick<ReadingColumn, 'target' | 'new_field_type'>,
  fields: readonly FieldDefinition[]
): ColumnKind | null {
  if (target === null) return null
  if (new_field_type) return new_field_type
  switch (target) {
    case 'subscribe_time':
    case 'remove_time':
      return 'time'
    case 'subscribe_ip':
    case 'remove_ip':
      return 'ip'
    case 'email':
    case 'status':
    case 'confirmed':
    case 'email_format':
      return target
  }
  return fieldNamed(fields, target)?.type ?? null
}

interface CellReader {
  index: number
  read: (cell: string) => string | Refusal
}

/** Reads rows as described. Rows do not depend on each other. */
export class RowInterpreter {
  /** The target of each cell, as in column_mapping. */
  readonly mapping: string[]
  readonly #reading: Reading
  readonly #emails: number[]
  readonly #columns: CellReader[][]
  readonly #statusRules: { index: number; rule: StatusRule; decides: boolean }[]
  readonly #hasStatus: boolean
  readonly #clean: (cell: string) => string

  constructor(reading: Reading, fields: readonly FieldDefinition[]) {
    this.#reading = reading
    const { columns } = reading
    const fillers = (wanted: string): { index: number; column: ReadingColumn }[] =>
      columns.flatMap((column, index) => (column.fills_in === wanted ? [{ index, column }] : []))
    this.#emails = [
      columns.findIndex(({ target }) => target === 'email'),
      ...fillers('email').map(({ index }) => index)
    ]
    this.#statusRules = columns.flatMap(({ status, target }, index) => {
      const decides = target === 'status'
      const rule = status ?? (decides ? ownStatuses : null)
      return rule ? [{ index, rule, decides }] : []
    })
    this.#hasStatus = this.#statusRules.length > 0 || reading.all_opted_out
    const mapped = columns.flatMap((column, index) =>
      column.target === null || column.target === 'email' || column.target === 'status'
        ? []
        : [{ index, column }]
    )
    this.#columns = mapped.map(({ index, column }) => [
      { index, read: readerOf(column, columnKind(column, fields), fields) },
      ...fillers(column.target ?? '').map((filler) => {
        // A value that cannot be read leaves the filled column blank.
        const stand: ReadingColumn = {
          ...filler.column,
          target: column.target,
          new_field_type: null,
          unfit: 'blank'
        }
        return { index: filler.index, read: readerOf(stand, columnKind(stand, fields), fields) }
      })
    ])
    this.mapping = [
      'email',
      ...(this.#hasStatus ? ['status'] : []),
      ...mapped.map(({ column }) => column.target?.trim() ?? '')
    ]
    this.#clean = cleaner(reading)
  }

  /** True if a row can become none or several, so that rows must be interpreted to count them. */
  get changesCount(): boolean {
    const { leaves_out_totals, several_addresses, opted_out } = this.#reading
    return leaves_out_totals || several_addresses === 'each' || opted_out === 'leave_out'
  }

  read(raw: readonly string[]): InterpretedRow[] {
    const email = this.#emailOf(raw)
    if (isBlankRow(raw) || (this.#reading.leaves_out_totals && isTotalRow(raw, email))) return []
    const status = this.#statusOf(raw)
    if (status === 'left out') return []
    const cells: string[] = ['']
    let fault = widthComplaint(raw, this.#reading.columns.length) ?? this.#enclosureFault(raw)
    if (this.#hasStatus) cells.push(status)
    for (const readers of this.#columns) {
      const value = this.#valueOf(raw, readers)
      if (typeof value === 'string') cells.push(value)
      else {
        cells.push('')
        fault ??= value
      }
    }
    return this.#addressesOf(email).map((address) => ({
      cells: [address, ...cells.slice(1)],
      fault: fault ?? blankFault(address)
    }))
  }

  /** Detects a line that is enclosed as a whole, unlike others: only its address would be read. */
  #enclosureFault([only = '', ...others]: readonly string[]): Refusal | null {
    const { file, columns } = this.#reading
    if (file.kind !== 'csv' || others.length > 0 || columns.length === 1) return null
    return only.includes('@') && only.includes(file.csv_field_separator) ? refusal('row_enclosed') : null
  }

  #emailOf(raw: readonly string[]): string {
    for (const index of this.#emails) {
      const cell = this.#clean(raw[index] ?? '')
      if (cell !== '') return cell
    }
    return ''
  }

  #valueOf(raw: readonly string[], readers: readonly CellReader[]): string | Refusal {
    for (const { index, read } of readers) {
      const value = read(this.#clean(raw[index] ?? ''))
      if (value !== '') return value
    }
    return ''
  }

  #addressesOf(cell: string): string[] {
    const { addresses } = readAddresses(cell)
    if (addresses.length <= 1) return [addresses[0] ?? '']
    return this.#reading.several_addresses === 'each' ? addresses : addresses.slice(0, 1)
  }

  /** Returns a status, an unknown word, which fails, or '' without effect. */
  #statusOf(raw: readonly string[]): string {
    const { opted_out, all_opted_out } = this.#reading
    const all: { kind: StatusRule['kind']; status: SubscriberStatus }[] = []
    if (all_opted_out) all.push({ kind: 'objection', status: 'unsubscribed' })
    for (const { index, rule, decides } of this.#statusRules) {
      const cell = this.#clean(raw[index] ?? '')
      const said = statusSaid(rule, cell)
      if (said === undefined && decides) return cell
      if (said) all.push({ kind: rule.kind, status: said })
    }
    const status = combinedStatus(all) ?? ''
    if (status !== 'unsubscribed' || opted_out === 'as_said') return status
    return opted_out === 'active' ? 'active' : 'left out'
  }
}

function cleaner({
  file: { kind },
  removes_text_marks,
  unescapes_formulas,
  tidies_values
}: Pick<Reading, 'file' | 'removes_text_marks' | 'unescapes_formulas' | 'tidies_values'>): (
  cell: string
) => string {
  const hasOwnLineBreaks = kind !== 'csv'
  return (cell) => {
    let clean = hasOwnLineBreaks ? cell.replaceAll(cellLineBreak, '\n') : cell
    if (unescapes_formulas) clean = unescapeFormula(clean)
    if (removes_text_marks) clean = withoutTextMark(clean.trim())
    return tidies_values ? tidyCell(clean) : clean
  }
}

/** True for a line of separators, as spreadsheets write below a table. */
export function isBlankRow(raw: readonly string[]): boolean {
  return raw.every((cell) => cell === '' || cell.trim() === '')
}

function isTotalRow(raw: readonly string[], email: string): boolean {
  if (email.includes('@')) return false
  const first = raw.find((cell) => cell.trim() !== '')
  return first !== undefined && isTotal(first)
}

function blankFault(address: string): Refusal | null {
  if (address === '' || isEmail(address)) return null
  const found = blankInside(address)
  if (found === null) return null
  return 'blank' in found
    ? refusal('email_contains', { field: 'email', ...found, address })
    : refusal('email_contains_character', { field: 'email', ...found, address })
}

function readerOf(
  column: ReadingColumn,
  kind: ColumnKind | null,
  fields: readonly FieldDefinition[]
): (cell: string) => string | Refusal {
  const blanksUnfit = column.unfit === 'blank'
  const name = column.target ?? ''
  switch (kind) {
    case 'number':
      return (cell) => {
        if (cell === '' || /^[+-]?\d+$/.test(cell)) {
          const loss = numberLoss(cell)
          if (loss === null) return cell
          return blanksUnfit ? '' : refusalAt(name, loss)
        }
        return blanksUnfit || isBlankWord(cell) ? '' : cell
      }
    case 'boolean':
    case 'confirmed':
      return (cell) => {
        const truth = readTruth(cell)
        if (truth !== null) return String(truth)
        return blanksUnfit || isBlankWord(cell) ? '' : cell
      }
    case 'date':
    case 'time':
      return dateReader(column, possibleOrders, (cell, order) => {
        const wall = readDate(cell, order)
        return wall && writeDate(wall)
      })
    case 'day_of_year':
      return dateReader(column, (cell) => possibleDayOrders(cell) ?? possibleOrders(cell), readDayOfYear)
    case 'ip':
      return (cell) => cell.split(',')[0]?.trim() ?? ''
    case 'email_format':
      return (cell) => formatWord(cell, blanksUnfit)
    case 'select_multiple_checkboxes':
      return optionsReader(column, fields)
    default:
      return (cell) => cell
  }
}

function dateReader(
  { date_order, mixed_dates, unfit }: ReadingColumn,
  orders: (cell: string) => ReturnType<typeof possibleOrders>,
  read: (cell: string, order: 'mdy' | 'dmy') => string | null
): (cell: string) => string {
  const order = date_order ?? 'mdy'
  const unreadable = (cell: string): string =>
    unfit === 'blank' || isNoDate(cell) || isBlankWord(cell) ? '' : cell
  return cached((cell) => {
    if (cell === '') return ''
    const possible = orders(cell)
    if (possible === 'both') {
      return date_order === null || mixed_dates === 'blank_ambiguous' ? '' : (read(cell, order) ?? '')
    }
    const certain = possible === 'mdy' || possible === 'dmy' ? possible : null
    if (certain && certain !== order && date_order !== null && mixed_dates === 'one_order')
      return unreadable(cell)
    return read(cell, certain ?? order) ?? unreadable(cell)
  })
}

const mostCached = 20_000
/** Characters of a cached value: a longer string keeps the file's chunk in memory, of which it is a slice. */
const longestCached = 12

/** Caches a reader's results: dates repeat, and take most of a row's time. */
function cached(read: (cell: string) => string): (cell: string) => string {
  const known = new Map<string, string>()
  return (cell) => {
    const before = known.get(cell)
    if (before !== undefined) return before
    const value = read(cell)
    if (known.size < mostCached && cell.length <= longestCached) known.set(cell, value)
    return value
  }
}

function formatWord(cell: string, blanksUnfit: boolean): string {
  const word = cell.toLowerCase()
  if (word.includes('html')) return 'html'
  if (word.includes('text') || word.includes('plain')) return 'text'
  return blanksUnfit ? '' : cell
}

function optionsReader(
  { target, option_separator, unfit }: ReadingColumn,
  fields: readonly FieldDefinition[]
): (cell: string) => string {
  const options = fieldNamed(fields, target ?? '')?.options ?? []
  const known = new Set(options.map(({ name }) => name.toLowerCase()))
  const quoted = (name: string): string => (/[;"]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)
  return (cell) => {
    if (option_separator === ';' || known.has(cell.toLowerCase())) return cell
    const names = cell
      .split(option_separator)
      .map((name) => name.trim())
      .filter((name) => name !== '' && (unfit === 'fail' || known.has(name.toLowerCase())))
    return names.map(quoted).join(';')
  }
}

/** Returns the fields that an import with this reading creates. */
export function createdFields(reading: Reading): { name: string; field_type: CustomFieldType }[] {
  return reading.columns.flatMap(({ target, new_field_type }) =>
    target !== null && new_field_type ? [{ name: target.trim(), field_type: new_field_type }] : []
  )
}
