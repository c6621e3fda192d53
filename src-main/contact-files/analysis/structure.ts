import type { Refusal } from '../../base/refusal.ts'
import { fieldSeparators } from '../../api/subscriber-imports/schema.ts'
import { CsvReader } from '../../csv/csv-reader.ts'
import { ImportFailure } from '../../csv/failure.ts'
import { readAddresses } from '../values/addresses.ts'
import { isEmail } from '../../api/subscribers/rules.ts'
import { headerRoles } from '../knowledge/headers.ts'
import { isTotal } from '../knowledge/totals.ts'
import { lineWriter } from '../formats/enclosed-lines.ts'
import type { FileSource } from '../schema.ts'

/** A record from the beginning of a file. */
export interface SampleRecord {
  cells: string[]
  /** Its first line, from 1. */
  line: number
  fault: Refusal | null
}

export type CsvStructure = Pick<FileSource, 'csv_field_separator' | 'csv_field_enclosure' | 'encloses_lines'>

const comparedRecords = 200

const separatorLine = /^\ufeff?"?sep=(.)"?[^\S\r\n]*(?:\r?\n|\r|$)/i

/** Detects the structure of a CSV text; the user's choices take precedence. */
export function detectStructure(text: string, chosen: Partial<CsvStructure>): CsvStructure {
  const told = fieldSeparators.find((separator) => separator === separatorLine.exec(text)?.[1])
  const separators = chosen.csv_field_separator
    ? [chosen.csv_field_separator]
    : told
      ? [told]
      : fieldSeparators
  const doubled = bestSeparator(text, '"', separators)
  const plain = { encloses_lines: false }
  if (chosen.csv_field_enclosure !== "'" && hasLoneCells(doubled)) {
    const separator = separators.find((each) => hasEnclosedLines(text, each))
    if (separator) return { csv_field_separator: separator, csv_field_enclosure: '"', encloses_lines: true }
  }
  if (chosen.csv_field_enclosure) {
    return {
      ...plain,
      csv_field_separator: bestSeparator(text, chosen.csv_field_enclosure, separators).separator,
      csv_field_enclosure: chosen.csv_field_enclosure
    }
  }
  if (!chosen.csv_field_separator && isListOfAddresses(text, doubled)) {
    return { ...plain, csv_field_separator: lineSeparator, csv_field_enclosure: "'" }
  }
  const single = bestSeparator(text, "'", separators)
  if (explainsBySingleQuotes(text, single, doubled) || hasLooseQuotes(text, doubled.separator)) {
    return { ...plain, csv_field_separator: single.separator, csv_field_enclosure: "'" }
  }
  return { ...plain, csv_field_separator: doubled.separator, csv_field_enclosure: '"' }
}

function hasLoneCells({ records }: Parsed): boolean {
  return records.filter(({ cells }) => cells.length === 1).length * 2 >= records.length
}

function hasEnclosedLines(text: string, separator: CsvStructure['csv_field_separator']): boolean {
  const lines = withoutEnclosedLines(text, separator)
  if (lines === null) return false
  const { records, isBroken } = readSample(lines, separator, '"', comparedRecords)
  const width = usualWidth(records)
  const alike = records.filter(({ cells, fault }) => cells.length === width && fault === null)
  const withOneAddress = records.filter(
    ({ cells }) => cells.filter((cell) => isPlainAddress(cell.trim())).length === 1
  )
  return (
    !isBroken &&
    width > 1 &&
    alike.length >= records.length * 0.9 &&
    withOneAddress.length >= (records.length - 1) * 0.5 &&
    withOneAddress.length > 0
  )
}

/** Returns a text without line enclosures; null if most lines have none. */
export function withoutEnclosedLines(text: string, separator: string): string | null {
  const { records } = readSample(text, separator, '"', Infinity)
  const enclosed = records.filter(({ cells, fault }) => cells.length === 1 && fault === null)
  // The line of column names may be without an enclosure.
  if (enclosed.length === 0 || enclosed.length < records.length - 1) return null
  const lineOf = lineWriter({ csv_field_separator: separator, csv_field_enclosure: '"' })
  return records.map(({ cells, line, fault }) => lineOf(cells, line, fault)).join('')
}

/** A separator that no line of recipients contains, so that each line is one cell. */
export const lineSeparator = '\t'

function isListOfAddresses(text: string, { records }: Parsed): boolean {
  if (text.includes(lineSeparator) || text.includes("'")) return false
  const lines = text.split(/\r\n|\n|\r/, comparedRecords).filter((line) => line.trim() !== '')
  if (lines.length === 0 || lines.some((line) => line.length > maxRecipients)) return false
  const enclosedNames = lines.filter((line) => /^\s*"[^"]*"\s*<[^<>\s]+@[^<>\s]+>/.test(line)).length
  if (enclosedNames > lines.length * 0.8) return true
  const cells = records.flatMap((record) => record.cells).filter((cell) => cell.trim() !== '')
  const addresses = cells.filter((cell) => isListedAddress(cell.trim())).length
  return addresses > cells.length * 0.9 && addresses > records.length * 1.5
}

const maxRecipients = 100_000

function isListedAddress(cell: string): boolean {
  if (cell.length > 500) return false
  return isPlainAddress(cell) || /^[^@]*<[^<>\s]+@[^<>\s]+>$/.test(cell)
}

/** True for an address without characters that may be separators, which addresses may contain. */
function isPlainAddress(cell: string): boolean {
  return !/[;,|\t=]/.test(cell) && isEmail(cell)
}

interface Parsed {
  separator: CsvStructure['csv_field_separator']
  records: SampleRecord[]
  /** True if a quote is never closed. */
  isBroken: boolean
  score: number
}

function bestSeparator(
  text: string,
  enclosure: string,
  separators: readonly CsvStructure['csv_field_separator'][]
): Parsed {
  let best: Parsed | undefined
  for (const separator of separators) {
    const { records, isBroken } = readSample(text, separator, enclosure, comparedRecords)
    const score = scoreOf(records) / (isBroken ? 4 : 1)
    if (!best || score > best.score) best = { separator, records, isBroken, score }
  }
  return best as Parsed
}

/** Prefers more columns in more records, and addresses in cells of their own. */
function scoreOf(records: SampleRecord[]): number {
  if (records.length === 0) return 0
  const width = usualWidth(records)
  if (width < 2) return 0
  const alike = records.filter(({ cells }) => cells.length === width).length / records.length
  const faulty = records.filter(({ fault }) => fault !== null).length / records.length
  const withAddress =
    records.filter(({ cells }) => cells.some((cell) => isPlainAddress(cell.trim()))).length / records.length
  return Math.log2(width + 1) * alike ** 2 * (1 + 2 * withAddress) * (1 - faulty / 2)
}

/** Returns the width of most records; of equally frequent ones the larger. */
export function usualWidth(records: readonly SampleRecord[]): number {
  const counts = new Map<number, number>()
  for (const { cells } of records) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1)
  let width = 0
  let most = 0
  for (const [each, count] of counts) {
    if (count > most || (count === most && each > width)) [width, most] = [each, count]
  }
  return width
}

/**
 * True if single quotes are enclosures: all records get the same width, most have enclosed cells, and double
 * quotes explain less.
 */
function explainsBySingleQuotes(text: string, single: Parsed, doubled: Parsed): boolean {
  const width = usualWidth(single.records)
  const isRegular = ({ cells, fault }: SampleRecord): boolean => cells.length === width && fault === null
  if (single.isBroken || single.records.length === 0 || !single.records.every(isRegular)) return false
  const compared = text.split(/\r\n|\n|\r/, single.records.at(-1)?.line ?? 1).join('\n')
  const opened = (enclosure: string, separator: string): number => {
    const escaped = separator === '|' ? '\\|' : separator
    return compared.match(new RegExp(`(?:^|[\\n${escaped}])${enclosure}[^${enclosure}]`, 'g'))?.length ?? 0
  }
  const enclosed = opened("'", single.separator)
  if (enclosed < single.records.length * 0.5 || enclosed <= opened('"', doubled.separator)) return false
  // A single apostrophe further down would enclose everything after it, so the whole text is checked.
  const whole = readSample(text, single.separator, "'", Infinity)
  return !whole.isBroken && whole.records.every(isRegular)
}

/**
 * True if double quotes enclose nothing, such as inch marks, and would never close. Then single quotes are
 * used, which no cell begins with.
 */
function hasLooseQuotes(text: string, separator: string): boolean {
  if (!readSample(text, separator, '"', Infinity).isBroken) return false
  const { records, isBroken } = readSample(text, separator, "'", Infinity)
  const cells = records.flatMap((record) => record.cells)
  const enclosed = cells.filter((cell) => /^\s*".*"\s*$/s.test(cell)).length
  return !isBroken && enclosed < cells.length * 0.05 && !cells.some((cell) => cell.startsWith("'"))
}

/** Returns the first complete records of a text. */
export function readSample(
  text: string,
  separator: string,
  enclosure: string,
  most: number
): { records: SampleRecord[]; isBroken: boolean } {
  const records: SampleRecord[] = []
  let isBroken = false
  const reader = new CsvReader({ separator, enclosure }, (cells, line, fault) => {
    if (records.length < most) records.push({ cells, line, fault })
  })
  try {
    // The text is read in pieces, so that no more than needed is parsed.
    for (let at = 0; at < text.length && records.length < most; at += pieceLength) {
      reader.push(text.slice(at, at + pieceLength))
    }
    if (records.length < most) reader.end()
  } catch (error) {
    if (!(error instanceof ImportFailure)) throw error
    isBroken = true
  }
  return { records, isBroken }
}

const pieceLength = 64 * 1024

/**
 * Finds the header line after titles, notes and blank lines; a first row with an address is data.
 * @returns null for a file without a header
 */
export function findHeaderLine(records: readonly SampleRecord[]): number | null {
  const body = records.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
  const named = body.slice(0, maxPreamble).find(({ cells }) => namesAddresses(cells))
  if (named) return named.line
  const usual = filledWidth(body)
  for (const [index, { cells, line }] of body.entries()) {
    if (isSeparatorLine(cells)) continue
    if (cells.some(hasAddress)) return null
    if (filled(cells) >= usual || isHeaderBefore(body, index, usual)) return line
  }
  const first = body.find(({ cells }) => !isSeparatorLine(cells))
  return first?.line ?? null
}

const maxPreamble = 25

/** True if a line names an address column among others, so that it is the header whatever precedes it. */
function namesAddresses(cells: readonly string[]): boolean {
  return (
    cells.some((cell) => cell.length < 60 && headerRoles(cell).includes('email')) && !cells.some(hasAddress)
  )
}

/** True for the line "sep=;", with that or another separator. */
export function isSeparatorLine(cells: readonly string[]): boolean {
  return /^\ufeff?sep=.?$/i.test(cells[0]?.trim() ?? '') && cells.slice(1).every((cell) => cell.trim() === '')
}

/** Returns how many cells a header must have: half of what most rows have. */
function filledWidth(records: readonly SampleRecord[]): number {
  const counts = records.map(({ cells }) => filled(cells)).sort((a, b) => a - b)
  const median = counts[Math.floor(counts.length / 2)] ?? 1
  return Math.max(1, Math.ceil(median * 0.6))
}

function isHeaderBefore(records: readonly SampleRecord[], index: number, usual: number): boolean {
  const own = filled(records[index]?.cells ?? [])
  return own > 1 && own * 2 >= usual && (records[index + 1]?.cells.some(hasAddress) ?? false)
}

function filled(cells: readonly string[]): number {
  return cells.filter((cell) => cell.trim() !== '').length
}

function hasAddress(cell: string): boolean {
  return readAddresses(cell).addresses.some(isEmail)
}

/** True if the last rows begin with "Total" or similar and have no address. */
export function endsWithTotal(last: readonly (readonly string[])[]): boolean {
  return last.some((cells) => {
    const first = cells.find((cell) => cell.trim() !== '')
    return first !== undefined && isTotal(first) && !cells.some((cell) => cell.includes('@'))
  })
}
