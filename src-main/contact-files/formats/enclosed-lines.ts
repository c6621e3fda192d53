import { CsvReader } from '../../csv/csv-reader.ts'
import { csvWriter } from '../../csv/csv-writer.ts'
import type { CsvFormat } from '../../csv/format.ts'

/**
 * Takes the enclosure off lines that were enclosed as a whole, as a spreadsheet does that has a CSV file in one column. Each line
 * stays where it is.
 * @throws ImportFailure naming the line of a quote that is never closed
 */
export async function* withoutLineEnclosure(
  texts: AsyncIterable<string>,
  format: CsvFormat
): AsyncGenerator<string> {
  let text = ''
  let next = 1
  const lineOf = lineWriter(format)
  const reader = new CsvReader(
    { separator: format.csv_field_separator, enclosure: format.csv_field_enclosure },
    (cells, line, fault) => {
      const content = lineOf(cells, fault)
      text += `${'\n'.repeat(Math.max(0, line - next))}${content}\n`
      next = Math.max(next, line) + 1 + (content.match(/\n/g)?.length ?? 0)
    }
  )
  for await (const each of texts) {
    reader.push(each)
    yield text
    text = ''
  }
  reader.end()
  yield text
}

/** What a record that may be an enclosed line is as a line of its own. */
export function lineWriter(format: CsvFormat): (cells: readonly string[], fault: string | null) => string {
  const write = csvWriter(format)
  return (cells, fault) => {
    const [only = ''] = cells
    if (cells.length === 1 && fault === null) return only
    // A broken line stays one cell: to repair it would be to guess.
    const record = fault === null ? cells : [cells.join(format.csv_field_separator)]
    return write([record]).slice(0, -1)
  }
}
