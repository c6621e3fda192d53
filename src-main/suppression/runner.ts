import type { Kysely } from 'kysely'
import { nextSuppressedAddressImport } from '../api/suppressed-address-imports/queries.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { SingleJobRunner } from '../jobs/single-job-runner.ts'
import { startThread } from '../threads.ts'
import type { SuppressionThreadOptions } from './suppression-thread.ts'

/** Gives one file of addresses to suppress at a time a thread. */
export function suppressedAddressImportRunner(
  reader: Kysely<Schema>,
  writer: Writer,
  dataDirectory: string
): SingleJobRunner {
  return new SingleJobRunner(
    {
      next: async () => (await nextSuppressedAddressImport(reader))?.id,
      start: (importId) => {
        const port = writer.connect()
        const options: SuppressionThreadOptions = { importId, dataDirectory, writer: port }
        return startThread(import.meta.url, 'suppression-thread', {
          workerData: options,
          transferList: [port],
          name: `suppressed address import ${importId}`
        })
      },
      fail: (id, message) => writer.run('failSuppressedAddressImport', { id, message }),
      entity: 'suppressed_address_import',
      dataDirectory
    },
    writer
  )
}
