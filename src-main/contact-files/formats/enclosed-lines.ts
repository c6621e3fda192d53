import type { Refusal } from '../../base/refusal.ts'
import { CsvReader } from '../../csv/csv-reader.ts'
import { csvWriter } from '../../csv/csv-writer.ts'
import { ImportFailure } from '../../csv/failure.ts'
import type { CsvFormat } from '../../csv/format.ts'

/**
 * Removes the enclosure of lines that were enclosed as a whole, as spreadsheets do with a CSV file in one
 * column. Line numbers stay.
 * @throws ImportFailure naming the line of a quote that is never closed
 */
export async function* withoutLineEnclosure(
  texts: AsyncIterable<string>,
  format: CsvFormat
): AsyncGenerator<string> {
  let text = ''
  const lineOf = lineWriter(format)
  const reader = new CsvReader(readerFormat(format), (cells, line, fault) => {
    text += lineOf(cells, line, fault)
  })
  for await (const each of texts) {
    reader.push(each)
    yield text
    text = ''
  }
  reader.end()
  yield text
}

/**
 * Returns a writer of records, each of which may be an enclosed line, as separate lines with the blank lines
 * before them.
 */
export function lineWriter(
  format: CsvFormat
): (cells: readonly string[], line: number, fault: Refusal | null) => string {
  const write = csvWriter(format)
  let next = 1
  return (cells, line, fault) => {
    const [only = ''] = cells
    const inner = cells.length === 1 && fault === null ? cellsIn(only, format) : cells
    const isBroken = fault !== null || inner === null
    const text = isBroken ? brokenLine(cells.join(format.csv_field_separator), format) : write([inner])
    const before = '\n'.repeat(Math.max(0, line - next))
    next = Math.max(next, line) + (text.match(/\n/g)?.length ?? 0)
    return before + text
  }
}

/** Returns the cells of a line; null if it is not a complete record. */
function cellsIn(line: string, format: CsvFormat): readonly string[] | null {
  const records: (readonly string[] | null)[] = []
  const reader = new CsvReader(readerFormat(format), (cells, _line, fault) => {
    records.push(fault === null ? cells : null)
  })
  try {
    reader.push(line)
    reader.end()
  } catch (error) {
    if (error instanceof ImportFailure) return null
    throw error
  }
  return records.length === 1 ? (records[0] ?? null) : null
}

/** A line with text after its closing enclosure: its row fails, since repairing it would be guessing. */
function brokenLine(line: string, { csv_field_enclosure: enclosure }: CsvFormat): string {
  return `${enclosure}${line.replaceAll(enclosure, enclosure + enclosure)}${enclosure} \n`
}

function readerFormat(format: CsvFormat): { separator: string; enclosure: string } {
  return { separator: format.csv_field_separator, enclosure: format.csv_field_enclosure }
}
