import type { Kysely } from 'kysely'
import { exportsToRun } from '../api/subscriber-exports/queries.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { SingleJobRunner } from '../jobs/single-job-runner.ts'
import { startThread } from '../threads.ts'
import type { ExportThreadOptions } from './export-thread.ts'

/** Gives one export at a time a thread: reading is bound by the processor, and imports want some of it. */
export function exportRunner(reader: Kysely<Schema>, writer: Writer, dataDirectory: string): SingleJobRunner {
  return new SingleJobRunner(
    {
      next: async () => (await exportsToRun(reader)).at(0)?.id,
      start: (exportId) => {
        const port = writer.connect()
        const options: ExportThreadOptions = { exportId, dataDirectory, writer: port }
        return startThread(import.meta.url, 'export-thread', {
          workerData: options,
          transferList: [port],
          name: `export ${exportId}`
        })
      },
      fail: (id, message) => writer.run('failExport', { id, message }),
      entity: 'subscriber_export',
      dataDirectory
    },
    writer
  )
}
