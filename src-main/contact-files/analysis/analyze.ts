import { type Refusal, refusal } from '../../base/refusal.ts'
import { isUtf8 } from 'node:buffer'
import { stat } from 'node:fs/promises'
import { beginningOf } from '../../base/file-content.ts'
import { CsvReader } from '../../csv/csv-reader.ts'
import { ImportFailure } from '../../csv/failure.ts'
import { seemsEscaped } from '../../csv/formulas.ts'
import { checkWidth } from '../../api/subscriber-imports/width.ts'
import { type CharacterSetGuess, guessCharacterSet } from '../formats/character-set.ts'
import { damagedUtf8, decodeText, textOf } from '../formats/text.ts'
import { type OpenedFile, openContactFile } from '../formats/open.ts'
import { isBlankRow } from '../interpreter.ts'
import { saysStatus } from '../knowledge/headers.ts'
import { recognizeService } from '../knowledge/services.ts'
import type { FileSource, Reading } from '../schema.ts'
import { readAddresses } from '../values/addresses.ts'
import { hasTextMark } from '../values/tidy.ts'
import { ColumnStatistics, guessedTypes } from './column-statistics.ts'
import { findingsOf, mostOptedOut, optOutNameOf } from './findings.ts'
import { proposeColumns } from './propose.ts'
import type { Destination } from './proposed-column.ts'
import type { ColumnAnalysis, FileAnalysis, ReadingChoices } from './schema.ts'
import {
  detectStructure,
  endsWithTotal,
  findHeaderLine,
  isSeparatorLine,
  lineSeparator,
  readSample,
  type SampleRecord,
  usualWidth,
  withoutEnclosedLines
} from './structure.ts'

/** Bytes that are read to detect separators, enclosures and the header line. A cell may be long. */
const sampleBytes = 1024 * 1024
/** Time to examine columns, in milliseconds; of a longer file only the beginning is read. */
const timeBudget = 1500
const sampleRecords = 500
const shownRows = 10
const lastRows = 3
const maxWords = 50

export interface AnalysisInput {
  path: string
  /** The user's file name; an export's name may say what it contains. */
  filename: string
  choices: ReadingChoices
  destination: Destination
  /** A directory for unpacked archives and spreadsheets, used by this analysis alone. */
  directory: string
}

/**
 * Finds out how a file should be read, and what is worth reporting.
 * @throws ImportFailure if it is not a contact file
 */
export async function analyzeFile(input: AnalysisInput): Promise<FileAnalysis> {
  const { choices } = input
  const { size: bytes } = await stat(input.path)
  if (bytes === 0) throw new ImportFailure(refusal('file_is_empty'))
  const opened = await openContactFile(input.path, choices, input.directory)
  try {
    return await analyzeOpened(opened, bytes, input)
  } finally {
    await opened.close()
  }
}

async function analyzeOpened(opened: OpenedFile, bytes: number, input: AnalysisInput): Promise<FileAnalysis> {
  const { choices, destination } = input
  const characterSets = await characterSetsOf(opened, choices)
  const { source, sample } = await sampleOf(opened, characterSets, choices)
  const header_line =
    choices.header_line === undefined ? findHeaderLine(sample) : chosenHeaderLine(sample, choices.header_line)
  const headers = headersOf(sample, header_line)
  const body = sample.filter(
    ({ cells, line }) => line > (header_line ?? 0) && !isSeparatorLine(cells) && !isBlankRow(cells)
  )
  const width = widthOf(headers, body)
  checkWidth(width, 1)
  const unescapes_formulas = seemsEscaped(body.flatMap(({ cells }) => cells))
  const isOwn = isOwnExport(headers)
  const service = isOwn ? null : choices.service === undefined ? recognizeService(headers) : choices.service
  const removes_text_marks =
    choices.removes_text_marks ?? (!isOwn && !unescapes_formulas && hasMarkedNumbers(body))
  const names = Array.from({ length: width }, (_, index) => headers[index] ?? '')
  const scan = await scanColumns(opened, source, { header_line, names, removes_text_marks })
  const { columns, remembered } = proposeColumns(names, scan.columns, destination, {
    isComplete: scan.isComplete,
    isOwn,
    service
  })
  const reading: Reading = {
    version: 1,
    file: source,
    header_line,
    leaves_out_totals: endsWithTotal(scan.last),
    removes_text_marks,
    unescapes_formulas,
    // A file that Listwright wrote has its values unchanged, including their spaces.
    tidies_values: !isOwn,
    several_addresses: isListOfAddresses(body, source) ? 'each' : 'first',
    all_opted_out:
      scan.rows > 0 &&
      optOutNameOf(input.filename, opened) !== null &&
      columns.every(({ status }) => status?.kind !== 'status') &&
      mostOptedOut(columns, scan.columns).count === 0,
    opted_out: 'as_said',
    blank_cells: 'keep',
    columns,
    corrected_rows: []
  }
  const context = { reading, statistics: scan.columns, scan, sample, opened, filename: input.filename }
  return {
    kind: opened.kind,
    bytes,
    rows_read: scan.rows,
    is_complete: scan.isComplete,
    entries: opened.entries,
    sheets: opened.sheets,
    service,
    character_sets: opened.kind === 'csv' ? await shownNames(opened, characterSets) : [],
    reading,
    columns: names.map((header, index) =>
      columnAnalysis(header, scan.columns[index] as ColumnStatistics, remembered[index] ?? false)
    ),
    rows: body
      .slice(0, shownRows)
      .map(({ cells }) => names.map((_, index) => (cells[index] ?? '').slice(0, 500))),
    findings: findingsOf(context, characterSets)
  }
}

async function characterSetsOf(
  opened: OpenedFile,
  { character_set }: ReadingChoices
): Promise<CharacterSetGuess> {
  if (opened.kind === 'xlsx' || opened.kind === 'ods')
    return { characterSet: 'utf-8', confidence: 1, candidates: [] }
  const beginning = await beginningOf(opened.path, sampleBytes)
  const guess = guessCharacterSet(beginning)
  // A character that was cut off at the end of the sample is not damage.
  if (
    guess.characterSet === 'utf-8' &&
    !isUtf8(beginning.subarray(0, beginning.lastIndexOf(10) + 1 || beginning.length))
  ) {
    guess.characterSet = damagedUtf8
  }
  return character_set ? { ...guess, characterSet: character_set, confidence: 1 } : guess
}

async function sampleOf(
  opened: OpenedFile,
  { characterSet: character_set }: CharacterSetGuess,
  choices: ReadingChoices
): Promise<{ source: FileSource; sample: SampleRecord[] }> {
  const { kind, entry, sheet } = opened
  const common = { kind, entry, sheet, character_set }
  if (kind === 'csv') {
    const text = await sampleText(opened.path, character_set)
    const structure = detectStructure(text, choices)
    const { csv_field_separator: separator, csv_field_enclosure: enclosure } = structure
    const lines = structure.encloses_lines ? withoutEnclosedLines(text, separator) : null
    const sample = readSample(lines ?? text, separator, enclosure, sampleRecords).records
    return { source: { ...common, ...structure }, sample }
  }
  const sample: SampleRecord[] = []
  await opened.readRows((cells, line) => {
    sample.push({ cells, line, fault: null })
    return sample.length < sampleRecords
  }, character_set)
  return {
    source: { ...common, csv_field_separator: ',', csv_field_enclosure: '"', encloses_lines: false },
    sample
  }
}

async function sampleText(path: string, characterSet: string): Promise<string> {
  let text = ''
  for await (const piece of decodeText(path, characterSet)) {
    text += piece
    if (text.length >= sampleBytes) break
  }
  return text
}

/**
 * Returns the line of the first record from the chosen line on.
 * @throws ImportFailure if the sample has none
 */
function chosenHeaderLine(sample: SampleRecord[], chosen: number | null): number | null {
  if (chosen === null) return null
  const record = sample.find(({ line }) => line >= chosen)
  if (!record) throw new ImportFailure(refusal('header_too_far_down'), chosen)
  return record.line
}

function headersOf(sample: SampleRecord[], headerLine: number | null): string[] {
  const header = headerLine === null ? undefined : sample.find(({ line }) => line >= headerLine)
  return (header?.cells ?? []).map((cell) => cell.replaceAll('\u2028', '\n').trim())
}

function isOwnExport(headers: readonly string[]): boolean {
  return headers.includes('email') && headers.includes('subscribe_time')
}

function isListOfAddresses(body: SampleRecord[], source: FileSource): boolean {
  return (
    source.csv_field_separator === lineSeparator &&
    body.some(({ cells }) => severalAddressesIn(cells[0] ?? ''))
  )
}

function severalAddressesIn(cell: string): boolean {
  return readAddresses(cell).addresses.length > 1
}

/**
 * Returns the width of the widest row. A cell beyond the header is an unnamed column, unless it is always
 * blank.
 */
function widthOf(headers: string[], body: SampleRecord[]): number {
  let width = headers.findLastIndex((header) => header !== '') + 1
  const usual = usualWidth(body)
  for (const { cells, fault } of body) {
    if (fault !== null) continue
    const filled = cells.findLastIndex((cell) => cell.trim() !== '') + 1
    // A single row that is much wider than the others has an unescaped separator in a value.
    if (filled > width && (filled <= usual || filled <= width + 3 || headers.length === 0)) width = filled
  }
  return Math.max(width, 1)
}

/** True if most cells that begin with an apostrophe are numbers marked as text by a spreadsheet. */
function hasMarkedNumbers(body: SampleRecord[]): boolean {
  let marked = 0
  let others = 0
  for (const { cells } of body) {
    for (const raw of cells) {
      const cell = raw.trim()
      if (!cell.startsWith("'")) continue
      if (hasTextMark(cell)) marked++
      else others++
    }
  }
  return marked > others
}

export interface Scan {
  columns: ColumnStatistics[]
  rows: number
  isComplete: boolean
  /** The last rows that were read. */
  last: string[][]
  lastLine: number
}

async function scanColumns(
  opened: OpenedFile,
  source: FileSource,
  format: { header_line: number | null; names: readonly string[]; removes_text_marks: boolean }
): Promise<Scan> {
  const columns = format.names.map((name) => new ColumnStatistics(saysStatus(name)))
  const scan: Scan = { columns, rows: 0, isComplete: true, last: [], lastLine: 0 }
  const begun = performance.now()
  const firstLine = format.header_line ?? 0
  const add = (cells: readonly string[], line: number, fault: Refusal | null): void => {
    if (line <= firstLine || fault !== null || isSeparatorLine(cells) || isBlankRow(cells)) return
    scan.rows++
    scan.last.push(cells as string[])
    if (scan.last.length > lastRows) scan.last.shift()
    scan.lastLine = line
    for (const [index, column] of columns.entries()) column.add(cells[index] ?? '', format.removes_text_marks)
  }
  const isOver = (): boolean => performance.now() - begun > timeBudget
  if (opened.kind !== 'csv') {
    scan.isComplete = await opened.readRows((cells, line) => {
      add(cells, line, null)
      return scan.rows % 256 !== 0 || !isOver()
    }, source.character_set)
    return scan
  }
  const reader = new CsvReader(
    { separator: source.csv_field_separator, enclosure: source.csv_field_enclosure },
    add
  )
  for await (const text of textOf(opened.path, source)) {
    reader.push(text)
    if (isOver()) return { ...scan, isComplete: false }
  }
  reader.end()
  return scan
}

function columnAnalysis(header: string, statistics: ColumnStatistics, remembered: boolean): ColumnAnalysis {
  const { mdy, dmy, both } = statistics.orders
  const words = statistics.distinct && statistics.distinct.size <= maxWords
  return {
    header,
    samples: statistics.samples,
    filled: statistics.filled,
    words: words
      ? [...(statistics.distinct ?? [])]
          .map(([value, count]) => ({ value, count }))
          .sort((a, b) => b.count - a.count)
      : null,
    unfit: Object.fromEntries(
      guessedTypes.map((type) => [type, statistics.isNearly(type) ? statistics.unfit[type] : null])
    ) as ColumnAnalysis['unfit'],
    orders: { mdy, dmy, both },
    ambiguous: statistics.ambiguous.values,
    remembered
  }
}

async function shownNames(
  opened: OpenedFile,
  { characterSet, candidates }: CharacterSetGuess
): Promise<FileAnalysis['character_sets']> {
  const bytes = await beginningOf(opened.path, sampleBytes)
  const labels = [...new Set([characterSet, ...candidates.map((each) => each.characterSet)])].slice(0, 6)
  return labels.map((character_set) => ({ character_set, samples: foreignWords(bytes, character_set) }))
}

function foreignWords(bytes: Uint8Array, label: string): string[] {
  const text = new TextDecoder(label).decode(bytes.subarray(0, 64 * 1024))
  const words = text.match(/[^\s,;|\t"']{0,30}[^\s,;|\t"'\u0000-\u007f][^,;|\t"'\r\n]{0,30}/g) ?? []
  return [...new Set(words.map((word) => word.trim()).filter((word) => word.length > 1))].slice(0, 3)
}
