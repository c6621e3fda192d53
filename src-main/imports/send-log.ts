import type { FastifyReply } from 'fastify'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { cellLineBreak } from '../contact-files/interpreter.ts'
import { csvWriter } from '../csv/csv-writer.ts'
import { CsvReader } from '../csv/csv-reader.ts'
import { decodeFile } from '../csv/decode.ts'
import { csvFormat } from '../csv/records.ts'
import { stat } from 'node:fs/promises'
import { notFound } from '../base/errors.ts'
import { logPath } from './logs.ts'
import type { FileFormat, ImportOutcome } from '../api/subscriber-imports/schema.ts'

/**
 * Sends a log as a file.
 * @param of the log, such as { name: 'subscriber import 7', file: 'import-7' }; `escaped` is the format of
 * failed rows for spreadsheets, with an apostrophe where a cell would be executed; `headers` are the column
 * names of a first line
 * @throws ApiError not_found if the log is missing or empty (docs/api.md, "Subscriber imports")
 */
export async function sendLog(
  reply: FastifyReply,
  directory: string,
  log: ImportOutcome,
  of: { name: string; file: string; escaped?: FileFormat; headers?: readonly string[] | null }
): Promise<FastifyReply> {
  const path = logPath(directory, log)
  const size = await stat(path).then(
    (info) => info.size,
    () => 0
  )
  if (size === 0) throw notFound(`log ${log}`, `of ${of.name}`)
  const isCsv = log === 'failed'
  return reply
    .type(isCsv ? 'text/csv; charset=utf-8' : 'text/plain; charset=utf-8')
    .header('Content-Disposition', `attachment; filename="${of.file}-${log}.${isCsv ? 'csv' : 'txt'}"`)
    .send(
      isCsv && of.escaped
        ? Readable.from(escapedRows(path, of.escaped, of.headers ?? null))
        : createReadStream(path)
    )
}

const failureHeader = 'Error'

async function* escapedRows(
  path: string,
  format: FileFormat,
  headers: readonly string[] | null
): AsyncGenerator<string> {
  const write = csvWriter(format, true)
  if (headers) yield write([[...headers, failureHeader]])
  const rows: string[][] = []
  const reader = new CsvReader(csvFormat(format), (fields) =>
    rows.push(fields.map((cell) => cell.replaceAll(cellLineBreak, '\n')))
  )
  for await (const text of decodeFile(path, 'UTF-8')) {
    reader.push(text)
    yield write(rows.splice(0))
  }
  reader.end()
  yield write(rows)
}
