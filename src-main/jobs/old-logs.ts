import type { Kysely } from 'kysely'
import { rm } from 'node:fs/promises'
import { importsWithOldLogs } from '../api/subscriber-imports/queries.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { logDirectory } from '../imports/logs.ts'

/** Logs are kept for 7 days after the import finished (spec, "Limits"). */
const keptFor = 7 * 24 * 60 * 60 * 1000

/** Removes the logs of imports that ended more than 7 days before `now` (UNIX milliseconds). */
export async function purgeOldLogs(
  reader: Kysely<Schema>,
  writer: Writer,
  dataDirectory: string,
  now: number
): Promise<void> {
  for (const { id } of await importsWithOldLogs(reader, now - keptFor)) {
    await rm(logDirectory(dataDirectory, id), { recursive: true, force: true })
    await writer.run('notePurgedLogs', { id })
  }
}
