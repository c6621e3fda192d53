import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { addCounts } from '../api/subscriber-imports/schema.ts'
import { openForReading } from '../database/connection.ts'
import { DryRunBatches } from './dry-run-batch.ts'
import { newImportSession } from './import-batch.ts'
import { giveWay, threadData } from '../base/threads.ts'
import { type DryRunProgress, type DryRunThreadOptions, dryRunLogs, newProgress } from './dry-run.ts'
import { failureMessage } from '../csv/failure.ts'
import { ImportLogs } from './logs.ts'
import { rowOrderFor } from './plan.ts'
import { unpackBatch } from './row-packer.ts'
import { RowPipeline } from './row-pipeline.ts'
import { countRecords } from './split.ts'
import { unpack } from './unpack.ts'

// One dry run: the way of an import, with a writer that only tells what it would do.

giveWay()
const { plan, mailingListId, room, databasePath, directory } = threadData() as DryRunThreadOptions
/** The keeper of the dry runs ends the thread itself. */
const neverStopped = new AbortController().signal
const progress = newProgress()

function report(changes: Partial<DryRunProgress>): void {
  Object.assign(progress, changes)
  parentPort?.postMessage(progress)
}

mkdirSync(directory, { recursive: true })
const database = openForReading(databasePath)
// Not waited for: the thread is loaded, and may be ended from now on.
void run()

async function run(): Promise<void> {
  try {
    await readFile()
    report({ state: 'finished' })
  } catch (error) {
    report({ state: 'failed', error_message: failureMessage(error) })
  } finally {
    database.close()
  }
}

async function readFile(): Promise<void> {
  const { settings, fields } = plan
  const { stats } = progress
  const path = await unpack(plan.path, join(directory, 'unpacked.csv'), neverStopped)
  const records = await countRecords(path, settings.file_format, settings.column_mapping, neverStopped)
  stats.number_of_records = records
  const rowOrder = rowOrderFor(records, room)
  report({ state: 'importing' })
  const session = newImportSession(mailingListId, fields, settings)
  const batches = new DryRunBatches(database, session, join(directory, 'keys.db'), room)
  const logs = new ImportLogs(dryRunLogs(directory), settings.file_format)
  const pipeline = new RowPipeline({ ...plan, path }, rowOrder, logs, (batch) => {
    const outcomes = batches.apply(unpackBatch(batch))
    stats.records_imported += outcomes.length
    addCounts(stats.subscribers, outcomes)
    report({})
    return Promise.resolve(outcomes)
  })
  await pipeline.run()
  logs.close()
  batches.close()
}
