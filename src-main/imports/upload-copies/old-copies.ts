import type { Kysely } from 'kysely'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import { copiesUnusedSince } from './queries.ts'

/** Removes the files that the window copied into upload directories and that nothing has used since a time (UNIX milliseconds). */
export async function removeOldUploadCopies(
  reader: Kysely<Schema>,
  writer: Writer,
  dataDirectory: string,
  time: number
): Promise<void> {
  for (const copy of await copiesUnusedSince(reader, time)) {
    const path = join(dataDirectory, copy.path)
    if (!(await wasWrittenAfter(path, copy.stored_at))) await rm(path, { force: true })
    await writer.run('uploadCopies.forget', { path: copy.path })
  }
}

/** A copy is noted once it is whole. */
const noLater = 60_000

async function wasWrittenAfter(path: string, storedAt: number): Promise<boolean> {
  try {
    return (await stat(path)).mtimeMs > storedAt + noLater
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
