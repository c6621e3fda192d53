import { refusal } from '../base/refusal.ts'
import type { Kysely } from 'kysely'
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  writeSync
} from 'node:fs'
import { dirname } from 'node:path'
import { type RowToExport, selectedToExport, subscribersToExport } from '../api/subscriber-exports/queries.ts'
import { kyselyOver, openForReading } from '../database/connection.ts'
import type { Schema } from '../database/schema.ts'
import type { CommandClient } from '../database/writer.ts'
import { refusalOf, storageFaultOf } from '../base/errors.ts'
import type { JobOutcome } from '../jobs/outcome.ts'
import { type RunningJob, runJobs } from '../jobs/run-job.ts'
import { countSegment } from '../segments/count.ts'
import { cellWriter } from './cells.ts'
import { csvWriter } from '../csv/csv-writer.ts'
import { type ExportPlan, exportPath } from './plan.ts'
import { databasePathIn } from '../database/database-path.ts'

// One export: subscribers by id -> cells -> CSV -> file. It reads on a connection of its own.

/** Subscribers of one read. */
const rowsAtOnce = 1000
/** Reads after which the progress is noted, and whether to go on is asked. */
const readsPerNote = 5

runJobs(runExport, {
  onStorageFault: (fault) => ({ is: 'failed', fault: refusal('then_export_again', { fault }) }),
  describe: (error) => refusal('export_stopped', { fault: refusalOf(error) })
})

async function runExport({ id, dataDirectory, client }: RunningJob): Promise<JobOutcome> {
  const plan = await client.run('subscriberExports.begin', { id })
  if (!plan) return { is: 'stopped' }
  const reader = kyselyOver(openForReading(databasePathIn(dataDirectory)))
  const path = exportPath(dataDirectory, id)
  try {
    const isWhole = (await estimate(plan, reader, client)) && (await writeFile(plan, path, reader, client))
    return { is: isWhole ? 'finished' : 'stopped' }
  } catch (error) {
    // Removes the incomplete file: its space is needed to store the failure.
    if (storageFaultOf(error)?.kind === 'full') rmSync(path, { force: true })
    throw error
  } finally {
    await reader.destroy()
  }
}

/**
 * Counts the segment's subscribers if needed.
 * @returns false if the export was stopped
 */
async function estimate(
  { id, mailingListId, clause, settings, isCounted }: ExportPlan,
  reader: Kysely<Schema>,
  client: CommandClient
): Promise<boolean> {
  if (isCounted) return true
  const counts = await countSegment(reader, { mailingListId, clause })
  const records = settings.statuses.reduce((sum, status) => sum + counts[status], 0)
  return client.run('subscriberExports.noteEstimate', { id, records })
}

/** @returns whether the file is whole; not when the export was paused or cancelled */
async function writeFile(
  plan: ExportPlan,
  path: string,
  reader: Kysely<Schema>,
  client: CommandClient
): Promise<boolean> {
  mkdirSync(dirname(path), { recursive: true })
  const file = openSync(path, existsSync(path) ? 'r+' : 'w')
  try {
    const progress = { ...plan.progress }
    if (fstatSync(file).size < progress.bytes) Object.assign(progress, { records: 0, afterId: 0, bytes: 0 })
    ftruncateSync(file, progress.bytes)
    const { settings } = plan
    if (progress.bytes === 0 && settings.file_format.csv_has_headers) {
      // Column names are not escaped, so that an import recognizes them.
      progress.bytes += append(file, progress.bytes, csvWriter(settings.file_format)([settings.columns]))
    }
    const write = csvWriter(settings.file_format, settings.file_format.escape_formulas)
    const cellsOf = cellWriter(settings.columns, plan.fields, plan.timeZone)
    for (let reads = 1; ; reads++) {
      const { rows, lastId } = await nextRows(plan, progress.afterId, reader)
      if (rows.length > 0) progress.bytes += append(file, progress.bytes, write(rows.map(cellsOf)))
      progress.records += rows.length
      progress.afterId = lastId ?? rows.at(-1)?.id ?? progress.afterId
      const isLast = lastId === null
      if (isLast || reads % readsPerNote === 0) {
        fdatasyncSync(file)
        const goesOn = await client.run('subscriberExports.recordProgressOf', { id: plan.id, progress })
        if (!goesOn) return false
      }
      if (isLast) return true
    }
  } finally {
    closeSync(file)
  }
}

/** The next subscribers after an id; `lastId` is the last that was looked at, or null where no further one follows. */
async function nextRows(
  plan: ExportPlan,
  afterId: number,
  reader: Kysely<Schema>
): Promise<{ rows: RowToExport[]; lastId: number | null }> {
  const { selectionId, mailingListId, settings } = plan
  if (selectionId !== null) {
    return selectedToExport(reader, { selectionId, mailingListId }, settings.statuses, afterId)
  }
  const rows = await subscribersToExport(reader, plan, settings.statuses, afterId, rowsAtOnce)
  return { rows, lastId: rows.length < rowsAtOnce ? null : (rows.at(-1)?.id ?? null) }
}

/** @returns the bytes that were written */
function append(file: number, position: number, text: string): number {
  const bytes = Buffer.from(text)
  let written = 0
  while (written < bytes.length) {
    written += writeSync(file, bytes, written, bytes.length - written, position + written)
  }
  return written
}
