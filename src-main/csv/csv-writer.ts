import type { CsvFormat } from './format.ts'
import { escapeFormula } from './formulas.ts'

/**
 * Writes records as lines of CSV (RFC 4180, with the separator and the enclosure of the format).
 * @param escapesFormulas whether cells that a spreadsheet would execute get an apostrophe
 */
export function csvWriter(
  { csv_field_separator: separator, csv_field_enclosure: enclosure }: CsvFormat,
  escapesFormulas = false
): (records: readonly (readonly string[])[]) => string {
  // Only these separators need escaping in a character class.
  const special = new RegExp(`[${separator === '\t' ? '\\t' : separator}${enclosure}\\r\\n]`)
  const write = (cell: string): string => {
    const safe = escapesFormulas ? escapeFormula(cell) : cell
    if (!special.test(safe)) return safe
    return enclosure + safe.replaceAll(enclosure, enclosure + enclosure) + enclosure
  }
  return (records) => {
    let text = ''
    for (const record of records) {
      const line = record.map(write).join(separator)
      // An empty line would not be read as a record.
      text += `${line === '' ? enclosure + enclosure : line}\n`
    }
    return text
  }
}
