import { type Refusal } from '../base/refusal.ts'
import { existsSync } from 'node:fs'
import { answerQuestions } from '../base/asked-thread.ts'
import { CsvReader } from '../csv/csv-reader.ts'
import { decodeFile } from '../csv/decode.ts'
import { csvFormat } from '../csv/records.ts'
import { readRowFault, withoutCell } from './row-faults.ts'
import type { FailedLog, FailedRow, FailedRowsPage, FailedRowsQuestion } from './failed-rows.ts'

// Reads logs of failed rows: the row as it came, and in the last cell why it failed.

/** More reasons are not listed: users do not choose among so many. */
const maxReasons = 100

answerQuestions(valueOf)

async function valueOf(question: FailedRowsQuestion): Promise<unknown> {
  return question.ask === 'page' ? pageOf(question) : linesOf(question)
}

async function pageOf({
  log,
  reason,
  without,
  position,
  limit
}: Extract<FailedRowsQuestion, { ask: 'page' }>): Promise<FailedRowsPage> {
  const corrected = new Set(without)
  const counts = new Map<string, { fault: Refusal; rows: number }>()
  const rows: FailedRow[] = []
  let total = 0
  await readLog(log, (row) => {
    const { complaint } = row
    if (corrected.has(row.place)) return
    const of = reasonOf(complaint)
    const known = counts.get(of)
    if (known) known.rows++
    else counts.set(of, { fault: withoutCell(readRowFault(complaint)), rows: 1 })
    if (reason !== null && reason !== of) return
    if (total >= position && rows.length < limit) rows.push({ ...row, fault: readRowFault(complaint) })
    total++
  })
  const reasons = [...counts].map(([each, found]) => ({ reason: each, ...found }))
  return { rows, total, reasons: reasons.sort((a, b) => b.rows - a.rows).slice(0, maxReasons) }
}

async function linesOf({
  log,
  places
}: Extract<FailedRowsQuestion, { ask: 'lines' }>): Promise<Map<number, number>> {
  const wanted = new Set(places)
  const lines = new Map<number, number>()
  await readLog(log, ({ place, line }) => {
    if (wanted.has(place)) lines.set(place, line)
  })
  return lines
}

async function readLog(
  { path, format, columns }: FailedLog,
  listener: (row: Omit<FailedRow, 'fault'>) => void
): Promise<void> {
  if (!existsSync(path)) return
  let place = 0
  const reader = new CsvReader(csvFormat(format), (fields) => {
    const [, line = '1', complaint = ''] = /^line (\d+): ([^]*)$/.exec(fields.at(-1) ?? '') ?? []
    const column = columnOf(complaint, columns)
    listener({ place: place++, line: Number(line), cells: fields.slice(0, -1), complaint, column })
  })
  for await (const text of decodeFile(path, 'UTF-8')) reader.push(text)
  reader.end()
}

/** Returns a complaint without the row's own value, so that equal reasons are counted together. */
function reasonOf(complaint: string): string {
  // The quoted text may contain quotation marks.
  return complaint.replace(/: "[^]*"$/, '').replace(/"[^]*"/, '…')
}

function columnOf(complaint: string, columns: FailedLog['columns']): number | null {
  let found: number | null = null
  for (const [index, name] of columns.entries()) {
    if (name === null || !complaint.startsWith(`${name} `)) continue
    if (found === null || name.length > (columns[found]?.length ?? 0)) found = index
  }
  return found
}
