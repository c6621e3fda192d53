import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { addCounts, importOutcomes } from '../api/subscriber-imports/schema.ts'
import type { SubscriberStatus } from '../api/subscribers/schema.ts'
import { openForReading } from '../database/connection.ts'
import { DryRunBatches } from './dry-run-batch.ts'
import { newImportSession } from './import-batch.ts'
import { lowerPriority, threadData } from '../base/threads.ts'
import { type DryRunProgress, type DryRunThreadOptions, dryRunLogs, newProgress } from './dry-run.ts'
import { importFault } from '../csv/failure.ts'
import { ImportLogs } from './logs.ts'
import { type ImportBatch, rowOrderFor } from './plan.ts'
import { unpackBatch } from './row-packer.ts'
import { ValueChanges } from './value-changes.ts'
import { RowPipeline } from './row-pipeline.ts'
import { countRows } from './split.ts'
import { prepareFile } from './prepare-file.ts'
import { interpretedSettings } from './interpreted-rows.ts'

// Runs one dry run: the same steps as an import, with a writer that only reports what it would do.

lowerPriority()
const { plan, mailingListId, room, databasePath, directory } = threadData() as DryRunThreadOptions
const neverStopped = new AbortController().signal
const progress = newProgress()
const added = importOutcomes.indexOf('added')

function report(changes: Partial<DryRunProgress>): void {
  Object.assign(progress, changes)
  parentPort?.postMessage(progress)
}

mkdirSync(directory, { recursive: true })
const database = openForReading(databasePath)
// Not awaited: the thread counts as loaded from here on and may be terminated.
void run()

async function run(): Promise<void> {
  try {
    await readFile()
    report({ state: 'finished' })
  } catch (error) {
    report({ state: 'failed', fault: importFault(error) })
  } finally {
    database.close()
  }
}

function countStatuses({ statuses }: ImportBatch, outcomes: Uint8Array): void {
  const standard = plan.settings.subscriber_defaults.status
  for (const [row, outcome] of outcomes.entries()) {
    if (outcome !== added) continue
    const status = (statuses?.[row] ?? standard) as SubscriberStatus
    progress.statuses[status] = (progress.statuses[status] ?? 0) + 1
  }
}

async function readFile(): Promise<void> {
  const { settings, fields, reading } = plan
  const { stats } = progress
  const path = await prepareFile(plan, join(directory, 'unpacked.csv'), neverStopped)
  const records = await countRows(plan, path, neverStopped)
  stats.number_of_records = records
  const rowOrder = rowOrderFor(records, room)
  report({ state: 'importing' })
  const session = newImportSession(
    mailingListId,
    fields,
    interpretedSettings(settings, reading, fields),
    reading?.blank_cells === 'keep'
  )
  const changes = new ValueChanges(fields)
  const batches = new DryRunBatches(database, session, join(directory, 'keys.db'), room, changes)
  const logs = new ImportLogs(dryRunLogs(directory), settings.file_format)
  const pipeline = new RowPipeline({ ...plan, path }, rowOrder, logs, (batch) => {
    const rows = unpackBatch(batch)
    const outcomes = batches.apply(rows)
    countStatuses(rows, outcomes)
    stats.records_imported += outcomes.length
    addCounts(stats.subscribers, outcomes)
    report({ changes: changes.byField, unchanged: changes.unchanged })
    return Promise.resolve(outcomes)
  })
  await pipeline.run()
  logs.close()
  batches.close()
}
