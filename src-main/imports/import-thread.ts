import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type CommandClient, commandClientOver } from '../database/writer.ts'
import { giveWay } from '../threads.ts'
import { type StorageFault, storageFaultOf } from '../errors.ts'
import { download } from './download.ts'
import { failureMessage, ImportFailure } from './failure.ts'
import { ImportLogs, logDirectory } from './logs.ts'
import { giveReserveBack } from '../jobs/reserve.ts'
import { RowPipeline } from './row-pipeline.ts'
import { fingerprintOf, unpackedPath } from './source.ts'
import { countRecords } from './split.ts'
import { unpack } from './unpack.ts'

// One import from its file to its end: source -> decode -> parse -> map -> validate -> write -> log.

/** What a thread does of an import: get its file, which may take a while and needs nothing of the list, or all the rest. */
export type ImportWork = 'download' | 'import'

export interface ImportThreadOptions {
  importId: number
  work: ImportWork
  dataDirectory: string
  /** To the writer thread. */
  writer: MessagePort
}

const changedMeanwhile =
  'the file changed while it was being imported. What had been read of it was imported; import the changed file again'

giveWay()
const { importId, work, dataDirectory, writer } = workerData as ImportThreadOptions
const commands = commandClientOver(writer)

try {
  await runImport(commands)
} finally {
  writer.close()
}

async function runImport(client: CommandClient): Promise<void> {
  const signal = stopSignal()
  try {
    const plan = await client.run('beginImport', { id: importId, dataDirectory })
    if (!plan) return
    if (plan.download) {
      const { url, allowsPrivate } = plan.download
      await download(url, plan.path, {
        allowsPrivate,
        signal,
        onRetry: (retryAt) => client.run('noteDownloadRetry', { id: importId, retryAt })
      })
    }
    if (work === 'download') {
      // The runner begins with the rest once nothing else works on the list.
      const fingerprint = await fingerprintOf(plan.path)
      return await client.run('noteDownload', { id: importId, fingerprint })
    }
    const fingerprint = await fingerprintOf(plan.path)
    await client.run('startSplitting', { id: importId, fingerprint })
    const path = await unpack(plan.path, unpackedPath(dataDirectory, importId), signal)
    const { file_format, column_mapping } = plan.settings
    const records = await countRecords(path, file_format, column_mapping, signal)
    const rowOrder = await client.run('startImporting', { id: importId, records })
    if (!rowOrder) return
    const logs = new ImportLogs(logDirectory(dataDirectory, importId), file_format)
    const pipeline = new RowPipeline({ ...plan, path }, rowOrder, logs, async (batch, index, before) => {
      if (!before) return client.run('writeImportBatch', { id: importId, index, batch })
      const known = await client.run('recallImportBatch', { id: importId, batch, outcomes: before })
      if (!known || before.length === batch.rows) return known
      return client.run('writeImportBatch', { id: importId, index, batch, done: before })
    })
    const completed = await pipeline.run()
    logs.close()
    if (!completed) return
    if ((await fingerprintOf(plan.path)) !== fingerprint) throw new ImportFailure(changedMeanwhile)
    await client.run('finishImport', { id: importId })
  } catch (error) {
    // Paused or cancelled: its state says so already.
    if (signal.aborted) return
    const storage = storageFaultOf(error)
    if (storage) await holdImport(client, storage)
    else await client.run('failImport', { id: importId, message: failureMessage(error) })
  }
}

/**
 * What can be mended does not end an import: a full disk pauses it, until its owner has made space. Where not even that
 * can be written, the runner begins again.
 */
async function holdImport(client: CommandClient, fault: StorageFault): Promise<void> {
  if (fault.kind === 'full') {
    const message = `${fault.message}, then continue the import`
    const note = (): Promise<boolean> => wasWritten(client.run('holdImport', { id: importId, message }))
    if (await note()) return
    giveReserveBack(dataDirectory)
    if (await note()) return
  }
  parentPort?.postMessage('again')
}

/** @returns false when the storage did not take it */
async function wasWritten(command: Promise<void>): Promise<boolean> {
  try {
    await command
    return true
  } catch (error) {
    if (storageFaultOf(error)) return false
    throw error
  }
}

/** Aborted when the runner says that the import is paused or cancelled: rows are not written any more by then. */
function stopSignal(): AbortSignal {
  const stop = new AbortController()
  parentPort?.once('message', () => stop.abort())
  // Waiting for that must not keep the thread alive.
  parentPort?.unref()
  return stop.signal
}
