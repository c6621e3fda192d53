import { refusal } from '../base/refusal.ts'
import type { JobOutcome } from '../jobs/outcome.ts'
import { type RunningJob, runJobs } from '../jobs/run-job.ts'
import { download } from './download.ts'
import { importFault, ImportFailure } from '../csv/failure.ts'
import { ImportLogs, logDirectory } from './logs.ts'
import { RowPipeline, type WriteBatch } from './row-pipeline.ts'
import { fingerprintOf, unpackedPath } from './source.ts'
import { countRows } from './split.ts'
import { prepareFile } from './prepare-file.ts'

// One import from its file to its end: source -> decode -> parse -> map -> validate -> write -> log.

/** Downloading needs nothing of the list and may take long, so it is separate from the rest. */
export type ImportWork = 'download' | 'import'

export interface ImportThreadData {
  work: ImportWork
}

runJobs(runImport, {
  onStorageFault: (fault) => ({ is: 'held', fault: refusal('then_continue_import', { fault }) }),
  describe: importFault
})

async function runImport({
  id,
  dataDirectory,
  client,
  signal,
  data: { work }
}: RunningJob<ImportThreadData>): Promise<JobOutcome> {
  const plan = await client.run('subscriberImports.begin', { id, dataDirectory })
  if (!plan) return { is: 'stopped' }
  if (plan.download) {
    const { url, allowsPrivate } = plan.download
    await download(url, plan.path, {
      allowsPrivate,
      signal,
      onRetry: (retryAt) => client.run('subscriberImports.recordDownloadRetry', { id, retryAt })
    })
  }
  const fingerprint = await fingerprintOf(plan.path)
  if (work === 'download') {
    // The job runner starts the rest once nothing else works on the list.
    await client.run('subscriberImports.recordDownload', { id, fingerprint })
    return { is: 'stopped' }
  }
  await client.run('subscriberImports.startSplitting', { id, fingerprint })
  const path = await prepareFile(plan, unpackedPath(dataDirectory, id), signal)
  const records = await countRows(plan, path, signal)
  const rowOrder = await client.run('subscriberImports.startImporting', { id, records })
  if (!rowOrder) return { is: 'stopped' }
  const logs = new ImportLogs(logDirectory(dataDirectory, id), plan.settings.file_format)
  const requireUnchanged = async (): Promise<void> => {
    if ((await fingerprintOf(plan.path)) !== fingerprint)
      throw new ImportFailure(refusal('file_changed_partly_imported'))
  }
  const writeBatch: WriteBatch = async (batch, index, before) => {
    if (!before) return client.run('subscriberImports.writeBatch', { id, index, batch })
    const known = await client.run('subscriberImports.recallBatch', { id, batch, outcomes: before })
    if (!known || before.length === batch.rows) return known
    return client.run('subscriberImports.writeBatch', { id, index, batch, done: before })
  }
  // Checked before each part: in a truncated file the last row may be incomplete.
  const pipeline = new RowPipeline({ ...plan, path }, rowOrder, logs, writeBatch, requireUnchanged)
  const completed = await pipeline.run()
  logs.close()
  if (!completed) return { is: 'stopped' }
  await requireUnchanged()
  return { is: 'finished' }
}
