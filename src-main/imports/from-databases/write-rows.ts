import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { ExplainedError } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { csvWriter } from '../../csv/csv-writer.ts'
import {
  type DatabaseTarget,
  type RemoteRow,
  withRemoteDatabase
} from '../../remote-databases/remote-database.ts'

export interface RowsQuestion {
  target: DatabaseTarget
  query: string
  /** Of the file to write; null = the query is only checked. */
  path: string | null
  /** Milliseconds. */
  timeLimit: number
  /** The columns that the query must return; left out = any. */
  columns?: readonly string[]
}

const csvFormat = { csv_field_separator: ',', csv_field_enclosure: '"' } as const

/**
 * Writes all rows of a query into a CSV file with a header, in memory that does not grow with them; or checks the query.
 * @returns how many rows; 0 without a file
 * @throws RemoteDatabaseFault; ExplainedError if the columns are others than they must be, or for a NUL byte
 */
export function writeRows(
  { target, query, path, timeLimit, columns }: RowsQuestion,
  signal: AbortSignal
): Promise<number> {
  return withRemoteDatabase(target, { signal, timeLimit }, async (database) => {
    const result = await database.read(query, { timeLimit })
    // As a file's header is read.
    const names = result.columns.map(({ name }) => name.trim())
    if (columns && columns.join('\n') !== names.join('\n')) {
      throw new ExplainedError(refusal('query_columns_changed', { columns: [...columns], found: names }))
    }
    if (path === null) return 0
    const write = csvWriter(csvFormat)
    let rows = 0
    await pipeline(async function* () {
      yield write([names])
      for (let batch = await result.next(); batch.length > 0; batch = await result.next()) {
        signal.throwIfAborted()
        yield write(batch.map((row) => fieldsOf(row, names, ++rows)))
      }
    }, createWriteStream(path))
    return rows
  })
}

/** @param number of the row, from 1 @throws ExplainedError for a NUL byte, which no CSV file has */
function fieldsOf(row: RemoteRow, names: readonly string[], number: number): string[] {
  return row.map((value, index) => {
    if (value?.includes('\0')) {
      throw new ExplainedError(refusal('import_row_nul', { row: number, column: names[index] ?? '' }))
    }
    return value ?? ''
  })
}
