import type { Kysely } from 'kysely'
import { rm } from 'node:fs/promises'
import { importsWithOldLogs } from '../api/subscriber-imports/queries.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { logDirectory } from './logs.ts'

/** Removes the logs of imports that ended before a time (UNIX milliseconds), and with them what undoing them needs. */
export async function removeOldLogs(
  reader: Kysely<Schema>,
  writer: Writer,
  dataDirectory: string,
  before: number
): Promise<void> {
  for (const { id } of await importsWithOldLogs(reader, before)) {
    await rm(logDirectory(dataDirectory, id), { recursive: true, force: true })
    await writer.run('subscriberImports.recordPurgedLogs', { id })
  }
}
