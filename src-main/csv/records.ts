import { CsvReader, type RecordListener } from './csv-reader.ts'
import { decodeFile } from './decode.ts'
import type { CsvFileFormat, CsvFormat } from './format.ts'

/** The reader's part of an import's file format. */
export function csvFormat(format: CsvFormat): { separator: string; enclosure: string } {
  return { separator: format.csv_field_separator, enclosure: format.csv_field_enclosure }
}

/**
 * Reads the records of a file without its header line.
 * @param afterChunk called after each chunk of the file; the next is read when it has resolved
 * @throws ImportFailure naming the line
 */
export async function readRecords(
  path: string,
  format: CsvFileFormat,
  listener: RecordListener,
  afterChunk: () => Promise<void>
): Promise<void> {
  let headerPending = format.csv_has_headers
  const firstLine = format.first_line ?? 1
  const reader = new CsvReader(csvFormat(format), (fields, line, fault) => {
    if (line < firstLine) return
    if (headerPending) headerPending = false
    else listener(fields, line, fault)
  })
  for await (const text of decodeFile(path, format.character_set)) {
    reader.push(text)
    await afterChunk()
  }
  reader.end()
  await afterChunk()
}
