import type { Kysely } from 'kysely'
import { rm } from 'node:fs/promises'
import { exportsWithOldFiles } from '../api/subscriber-exports/queries.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { exportPath } from './plan.ts'

/** Removes the files of exports that were finished before a time (UNIX milliseconds). */
export async function removeOldExportFiles(
  reader: Kysely<Schema>,
  writer: Writer,
  dataDirectory: string,
  before: number
): Promise<void> {
  for (const { id } of await exportsWithOldFiles(reader, before)) {
    await rm(exportPath(dataDirectory, id), { force: true })
    await writer.run('subscriberExports.recordRemovedFile', { id })
  }
}
