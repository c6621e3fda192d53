import { isUtf8 } from 'node:buffer'
import { type FieldDefinition, fieldNamed } from '../api/custom-fields/rules.ts'
import type { MailingListRow } from '../api/mailing-lists/queries.ts'
import { type ImportColumn, isImportColumn } from '../api/subscriber-imports/rules.ts'
import {
  type characterSets,
  fieldEnclosures,
  fieldSeparators,
  maxColumns
} from '../api/subscriber-imports/schema.ts'
import { isEmail } from '../api/subscribers/rules.ts'
import { CsvReader } from '../csv/csv-reader.ts'
import { decodeBeginning } from '../csv/decode.ts'
import { ImportFailure } from '../csv/failure.ts'
import { dateOrderOf, guessType } from './detect-dates.ts'
import { headerKey, type RememberedColumn } from './import-mappings/queries.ts'
import { seemsEscaped, unescapeFormula } from '../csv/formulas.ts'

export interface DetectedFormat {
  character_set: (typeof characterSets)[number]
  csv_field_separator: (typeof fieldSeparators)[number]
  csv_field_enclosure: (typeof fieldEnclosures)[number]
  csv_has_headers: boolean
  escape_formulas: boolean
}

/** Rows that a preview shows, and rows that it learns from. */
const shownRows = 10
const learnedRows = 200

/** Finds out how a file is best read; what the user chose stands. @throws ImportFailure for what is no CSV file */
export async function detectFormat(
  beginning: Buffer,
  path: string,
  chosen: Partial<DetectedFormat>
): Promise<DetectedFormat> {
  if (beginning.length === 0) throw new ImportFailure('The file is empty')
  const character_set = chosen.character_set ?? (isUtf8(wholeLines(beginning)) ? 'UTF-8' : 'ISO-8859-1')
  const text = await decodeBeginning(beginning, path, character_set)
  const csv_field_enclosure = chosen.csv_field_enclosure ?? detectEnclosure(text)
  const csv_field_separator = chosen.csv_field_separator ?? detectSeparator(text, csv_field_enclosure)
  const [first] = readRows(text, csv_field_separator, csv_field_enclosure, 1)
  // A header names columns; a first row that already holds an address is data.
  const csv_has_headers = chosen.csv_has_headers ?? !first?.some((cell) => isEmail(cell.trim()))
  const learned = readRows(text, csv_field_separator, csv_field_enclosure, learnedRows)
  const escape_formulas = chosen.escape_formulas ?? seemsEscaped(learned.flat())
  return { character_set, csv_field_separator, csv_field_enclosure, csv_has_headers, escape_formulas }
}

/** Up to the last line break, so that no character is cut in two. */
function wholeLines(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(10)
  return end === -1 ? bytes : bytes.subarray(0, end)
}

function detectEnclosure(text: string): DetectedFormat['csv_field_enclosure'] {
  const opening = (enclosure: string): number =>
    text.split(new RegExp(`(?:^|[,;|\\t\\n])${enclosure}`)).length
  return opening("'") > opening('"') ? "'" : '"'
}

/** The separator that gives the most columns in the most rows. */
function detectSeparator(text: string, enclosure: string): DetectedFormat['csv_field_separator'] {
  let best: DetectedFormat['csv_field_separator'] = ','
  let bestScore = 0
  for (const separator of fieldSeparators) {
    const rows = readRows(text, separator, enclosure, 50)
    const columns = rows[0]?.length ?? 0
    const alike = rows.filter((row) => row.length === columns).length / Math.max(rows.length, 1)
    const score = columns > 1 ? columns * alike ** 2 : 0
    if (score > bestScore) [best, bestScore] = [separator, score]
  }
  return best
}

function readRows(text: string, separator: string, enclosure: string, most: number): string[][] {
  const rows: string[][] = []
  const reader = new CsvReader({ separator, enclosure }, (fields) => {
    if (rows.length < most) rows.push(fields)
  })
  reader.push(text)
  // A short file may end without a line break; a longer one is cut inside a row, which is left out.
  if (rows.length < most) endQuietly(reader)
  return rows
}

function endQuietly(reader: CsvReader): void {
  try {
    reader.end()
  } catch (error) {
    // The beginning of a file may end inside an enclosed field; the import itself reads all of it.
    if (!(error instanceof ImportFailure)) throw error
  }
}

/** The list that a file is for, and where the columns of earlier ones went. */
interface Destination {
  list: MailingListRow
  fields: FieldDefinition[]
  remembered: Map<string, RememberedColumn>
}

/** The first rows, and for each column what it probably holds. @throws ImportFailure for too many columns */
export async function previewOf(
  beginning: Buffer,
  path: string,
  format: DetectedFormat,
  destination: Destination
) {
  const text = await decodeBeginning(beginning, path, format.character_set)
  const all = readRows(text, format.csv_field_separator, format.csv_field_enclosure, learnedRows + 1)
  const width = all[0]?.length ?? 0
  if (width > maxColumns) {
    throw new ImportFailure(
      `the file has ${width.toLocaleString('en')} columns, and at most ${maxColumns} can be imported`,
      1
    )
  }
  const headers = format.csv_has_headers ? (all[0] ?? []).map((header) => header.trim()) : []
  const plain = format.escape_formulas ? all.map((row) => row.map(unescapeFormula)) : all
  const rows = format.csv_has_headers ? plain.slice(1) : plain
  const taken = new Set<string>()
  const columns = Array.from({ length: width }, (_, index) => {
    const values = rows.map((row) => (row[index] ?? '').trim()).filter((value) => value !== '')
    const header = headers[index] ?? ''
    const last = lastTarget(header, destination)
    const suggestion = last === undefined ? suggest(header, values, destination) : last
    const free = suggestion !== null && !taken.has(suggestion.toLowerCase())
    if (free) taken.add(suggestion.toLowerCase())
    const order = dateOrderOf(values)
    return {
      header,
      samples: values.slice(0, 3),
      suggestion: free ? suggestion : null,
      remembered: last !== undefined && (free || last === null),
      guessed_types: { mdy: guessType(values, 'mdy'), dmy: guessType(values, 'dmy') },
      date_order:
        order === 'unclear' ? (destination.remembered.get(headerKey(header))?.dateFormat ?? order) : order
    }
  })
  return {
    file_format: format,
    columns,
    rows: rows.slice(0, shownRows),
    warnings: [...duplicateHeaders(headers), ...rowWarnings(rows, format)]
  }
}

/** Spellings of reserved columns that files in use have. */
const spellings: Record<string, ImportColumn> = {
  'e-mail': 'email',
  mail: 'email',
  'email address': 'email',
  'e-mail address': 'email',
  'subscriber email': 'email',
  'subscriber status': 'status',
  'subscribed at': 'subscribe_time',
  'subscribe date': 'subscribe_time',
  'opt-in time': 'subscribe_time',
  'opt-in ip': 'subscribe_ip',
  'ip address': 'subscribe_ip',
  'unsubscribe time': 'remove_time'
}

/** Where a column with this header went last, if the list still has that; undefined when nothing is remembered. */
function lastTarget(header: string, { list, fields, remembered }: Destination): string | null | undefined {
  const target = remembered.get(headerKey(header))?.target
  if (!target) return target
  if (isImportColumn(target)) return keepsColumn(list, target) ? target : undefined
  return fieldNamed(fields, target)?.name
}

function keepsColumn(list: MailingListRow, column: ImportColumn): boolean {
  if (column === 'email_format') return list.has_format === 1
  return column !== 'confirmed' || list.has_confirmed === 1
}

function suggest(header: string, values: string[], { list, fields }: Destination): string | null {
  const name = header
    .toLowerCase()
    .replaceAll(/[\s_]+/g, ' ')
    .trim()
  const field =
    fieldNamed(fields, header) ?? fieldNamed(fields, name) ?? fieldNamed(fields, name.replaceAll(' ', '_'))
  if (field) return field.name
  const reserved = spellings[name] ?? name.replaceAll(' ', '_')
  if (isImportColumn(reserved)) return keepsColumn(list, reserved) ? reserved : null
  const addresses = values.filter((value) => isEmail(value)).length
  return values.length > 0 && addresses / values.length > 0.8 ? 'email' : null
}

function duplicateHeaders(headers: string[]): string[] {
  const places = new Map<string, number[]>()
  for (const [index, header] of headers.entries()) {
    const key = header.toLowerCase()
    if (key !== '') places.set(key, [...(places.get(key) ?? []), index + 1])
  }
  return [...places]
    .filter(([, columns]) => columns.length > 1)
    .map(([name, columns]) => `Columns ${columns.join(' and ')} are both named "${name}".`)
}

function rowWarnings(rows: string[][], format: DetectedFormat): string[] {
  if (rows.length > 0) return []
  return [format.csv_has_headers ? 'The file holds a header line and no rows.' : 'The file holds no rows.']
}
