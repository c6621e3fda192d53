import { refusal } from '../base/refusal.ts'
import type { FileFormat } from '../api/subscriber-imports/schema.ts'
import { CsvReader } from '../csv/csv-reader.ts'
import { decodeFile } from '../csv/decode.ts'
import { ImportFailure } from '../csv/failure.ts'
import { isBlankRow } from '../contact-files/interpreter.ts'
import { csvFormat } from '../csv/records.ts'
import { interpreterOf, readPlannedRecords } from './interpreted-rows.ts'
import { checkWidth } from '../api/subscriber-imports/width.ts'
import type { RowPlan } from './plan.ts'

/**
 * Counts the rows of a plan's file by reading all of it before anything is written.
 * @param path of the readable file
 * @throws ImportFailure naming the line or column; the signal's reason when aborted
 */
export async function countRows(plan: RowPlan, path: string, signal: AbortSignal): Promise<number> {
  const { settings, reading } = plan
  if (!reading) return countRecords(path, settings.file_format, settings.column_mapping, signal)
  const interpreter = interpreterOf(plan)
  let rows = 0
  await readPlannedRecords(
    plan,
    path,
    (cells, _line, fault) => {
      if (fault === null && interpreter?.changesCount) rows += interpreter.read(cells).length
      else if (fault !== null || !isBlankRow(cells)) rows++
    },
    () => {
      signal.throwIfAborted()
      return Promise.resolve()
    }
  )
  return rows
}

/**
 * Reads the whole file once before anything is written: counts its records and finds what would stop the import half
 * way, such as a wrong encoding or an unclosed quote.
 * @returns the number of records, without the header line
 * @throws ImportFailure naming the line or column; what the signal was aborted with
 */
export async function countRecords(
  path: string,
  format: FileFormat,
  mapping: readonly (string | null)[],
  signal: AbortSignal
): Promise<number> {
  const first = await firstRecord(path, format)
  if (!first) throw new ImportFailure(refusal('file_empty'))
  checkColumns(first, mapping)
  let records = 0
  const reader = new CsvReader(csvFormat(format), () => void records++, false)
  for await (const text of decodeFile(path, format.character_set)) {
    signal.throwIfAborted()
    reader.push(text)
  }
  reader.end()
  return format.csv_has_headers ? records - 1 : records
}

async function firstRecord(path: string, format: FileFormat): Promise<string[] | undefined> {
  const records: string[][] = []
  const reader = new CsvReader(csvFormat(format), (fields) => void records.push(fields))
  for await (const text of decodeFile(path, format.character_set)) {
    reader.push(text)
    if (records.length > 0) break
  }
  if (records.length === 0) reader.end()
  return records[0]
}

function checkColumns(fields: string[], mapping: readonly (string | null)[]): void {
  checkWidth(fields.length, 1)
  const email = mapping.indexOf('email')
  if (email >= fields.length) {
    const rule = fields.length === 1 ? 'email_beyond_column' : 'email_beyond_columns'
    throw new ImportFailure(refusal(rule, { count: fields.length, column: email + 1 }), 1)
  }
}
