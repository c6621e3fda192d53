import { type CharacterSetGuess, sureCharacterSet } from '../formats/character-set.ts'
import type { OpenedFile } from '../formats/open.ts'
import { statusSaid } from '../status-rules.ts'
import { isTotal } from '../knowledge/totals.ts'
import type { Reading, ReadingColumn } from '../schema.ts'
import type { Scan } from './analyze.ts'
import type { ColumnStatistics, GuessedType } from './column-statistics.ts'
import { isFailureColumn } from './reserved-columns.ts'
import type { Examples, Finding } from './schema.ts'
import type { SampleRecord } from './structure.ts'

interface Context {
  reading: Reading
  statistics: ColumnStatistics[]
  scan: Scan
  sample: SampleRecord[]
  opened: OpenedFile
  filename: string
}

/** Returns the findings about a file and its proposal; those about the whole file come first. */
export function findingsOf(context: Context, { confidence }: CharacterSetGuess): Finding[] {
  const { reading, scan, opened } = context
  const findings: Finding[] = []
  const add = (rule: Finding['rule'], column: number | null, count: number, values: string[] = []): void => {
    findings.push({ rule, column, count, values })
  }
  if (scan.rows === 0) add('no_rows', null, 0)
  if (!scan.isComplete) add('partly_read', null, scan.rows)
  if (confidence < sureCharacterSet) add('character_set_unsure', null, 0)
  if (opened.sheets.length > 1)
    add('other_sheets', null, opened.sheets.length, [opened.sheet ?? opened.sheets[0] ?? ''])
  if (opened.entries.length > 1) add('other_files', null, opened.entries.length, [opened.entry ?? ''])
  if (reading.file.encloses_lines) add('enclosed_lines', null, 0)
  addLeftOutLines(context, add)
  for (const values of duplicateHeaders(reading.columns))
    add('duplicate_headers', null, values.length, values)
  addOptedOut(context, add)
  for (const [index, column] of reading.columns.entries()) {
    const statistics = context.statistics[index]
    // A vCard has no columns of its own; those without values are not worth a finding.
    if (statistics && opened.kind === 'vcard' && statistics.filled === 0) continue
    if (statistics) addColumnFindings(statistics, column, index, add)
  }
  addTidying(context, add)
  return findings
}

type Add = (rule: Finding['rule'], column: number | null, count: number, values?: string[]) => void

function duplicateHeaders(columns: ReadingColumn[]): string[][] {
  const places = new Map<string, string[]>()
  for (const [index, { header }] of columns.entries()) {
    const key = header.toLowerCase()
    if (key !== '') places.set(key, [...(places.get(key) ?? [header]), String(index + 1)])
  }
  return [...places.values()].filter((values) => values.length > 2)
}

function addOptedOut({ reading, statistics, scan, filename, opened }: Context, add: Add): void {
  const { count, header } = mostOptedOut(reading.columns, statistics)
  if (count > 0)
    add(count >= scan.rows ? 'only_opted_out' : 'opted_out', null, count, [header, String(scan.rows)])
  else if (reading.all_opted_out) {
    add('only_opted_out', null, scan.rows, [optOutNameOf(filename, opened) ?? filename, String(scan.rows)])
  }
}

/** Returns the column in which the most contacts opted out, with their number. */
export function mostOptedOut(
  columns: readonly ReadingColumn[],
  statistics: readonly ColumnStatistics[]
): { count: number; header: string } {
  let most = { count: 0, header: '' }
  for (const [index, { status, header }] of columns.entries()) {
    const column = statistics[index]
    if (!status || !column) continue
    const { distinct, filled, rows } = column
    let count = status.blank !== null && status.blank !== 'active' ? rows - filled : 0
    if (distinct) {
      for (const [value, times] of distinct) {
        const said = statusSaid(status, value)
        if (said && said !== 'active') count += times
      }
    } else if (status.other !== null && status.other !== 'active') count += filled
    if (count > most.count) most = { count, header }
  }
  return most
}

/** Returns the name of the file, archive entry or sheet that says its contacts opted out, or null. */
export function optOutNameOf(
  filename: string,
  { entry, sheet }: Pick<OpenedFile, 'entry' | 'sheet'>
): string | null {
  const names = [filename, entry, sheet].filter((name) => name !== null)
  return names.find((name) => optOutName.test(name) && !withoutThem.test(name)) ?? null
}

const optOutWord =
  '(?:unsub|nonsub|opt(?:ed)?[-_ ]?outs?|abgemeldet|abmeld|(?:newsletter[-_ ]?)?abbestell|sperrliste|black-?list|block-?list|' +
  'suppress|complaints?|bounces?|do[-_ ]?not[-_ ]?(?:e?-?mail|contact|send))'
const optOutName = new RegExp(`(?:^|[^a-z])${optOutWord}`, 'i')
/** "no" also stands for a number, as in unsubscribed_no_3.csv. */
const withoutThem = new RegExp(
  `(?:^|[^a-z])(?:(?:ohne|without|excl\\w*)[-_ ].*?|no[-_ ]+(?:hard[-_ ]+)?)${optOutWord}`,
  'i'
)

function addLeftOutLines({ reading, scan, sample }: Context, add: Add): void {
  const headerLine = reading.header_line ?? 0
  const skipped = sample.filter(({ line }) => line < headerLine).map(({ cells }) => cells.join(' ').trim())
  if (skipped.length > 0) add('preamble_skipped', null, headerLine, skipped.slice(0, 3))
  if (reading.leaves_out_totals) {
    const total = scan.last.find((cells) => cells.some((cell) => isTotal(cell)))
    add('totals_left_out', null, scan.lastLine, [(total ?? []).join(' ').trim()])
  }
}

function addLeftOutColumn(statistics: ColumnStatistics, header: string, index: number, add: Add): void {
  const { filled, rows } = statistics
  if (header !== '' && filled === 0 && rows > 0) add('no_values', index, 0, [header])
  if (filled > 0 && isFailureColumn(statistics)) add('failure_column', index, filled, [header])
}

function addColumnFindings(
  statistics: ColumnStatistics,
  column: ReadingColumn,
  index: number,
  add: Add
): void {
  const { header, target, new_field_type, status } = column
  if (target === null) {
    if (status === null) addLeftOutColumn(statistics, header, index, add)
    return
  }
  if (new_field_type && header !== '' && target !== header) add('renamed_field', index, 0, [header, target])
  addExamples('lost_digits', index, statistics.lostDigits, add)
  if (target === 'email') addAddresses(statistics, index, add)
  addDates(statistics, column, index, add)
  if (new_field_type && new_field_type in statistics.unfit) {
    addExamples('unfit_values', index, statistics.unfit[new_field_type as GuessedType], add)
  }
}

function addAddresses({ addressChanges }: ColumnStatistics, index: number, add: Add): void {
  const { several, name, marks, invisible } = addressChanges
  addExamples('several_addresses', index, several, add)
  addExamples('cleaned_addresses', index, joined([name, marks, invisible]), add)
}

/** Adds a finding for dates whose order is uncertain. */
function addDates(
  { orders, ambiguous, filled }: ColumnStatistics,
  { date_order, mixed_dates, new_field_type }: ReadingColumn,
  index: number,
  add: Add
): void {
  const isDate = date_order !== null || mixed_dates === 'blank_ambiguous'
  const isUnclear = orders.mdy + orders.dmy === 0 && ambiguous.count > 0
  const isKeptAsText = new_field_type === 'text' && ambiguous.count > filled * 0.5
  if (isUnclear && (isDate || isKeptAsText)) addExamples('ambiguous_dates', index, ambiguous, add)
  else if (isDate && orders.mdy > 0 && orders.dmy > 0) {
    add('mixed_dates', index, ambiguous.count, ambiguous.values)
  }
}

function addExamples(
  rule: Finding['rule'],
  index: number | null,
  examples: Examples | undefined,
  add: Add
): void {
  if (examples && examples.count > 0) add(rule, index, examples.count, examples.values)
}

function joined(all: (Examples | undefined)[]): Examples {
  const given = all.filter((each) => each !== undefined)
  return {
    count: given.reduce((sum, { count }) => sum + count, 0),
    values: given.flatMap(({ values }) => values).slice(0, 5)
  }
}

/** Counts what tidying would change in all columns. */
function addTidying({ statistics }: Context, add: Add): void {
  const kinds = ['formula', 'no_value', 'invisible'] as const
  addExamples(
    'tidied',
    null,
    joined(statistics.flatMap(({ tidied }) => kinds.map((kind) => tidied[kind]))),
    add
  )
  addExamples('text_marks', null, joined(statistics.map(({ marked }) => marked)), add)
}
