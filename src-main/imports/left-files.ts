import type { Kysely } from 'kysely'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { namesIn } from '../base/directories.ts'
import { pausedImports, unfinishedImports } from '../api/subscriber-imports/queries.ts'
import type { Schema } from '../database/schema.ts'
import { sourceDirectory, unpackedPath } from './source.ts'

/** Prefix of uploads that are not complete. */
export const partialUpload = '.upload-'

/**
 * Removes files of requests that never came to their end because the application was killed: content of imports that do
 * not exist, and parts of uploads.
 */
export async function removeLeftFiles(reader: Kysely<Schema>, dataDirectory: string): Promise<void> {
  const imports = [...(await unfinishedImports(reader)), ...(await pausedImports(reader))]
  const needed = new Set(
    imports.flatMap(({ id, source_path }) => [
      basename(source_path),
      basename(unpackedPath(dataDirectory, id))
    ])
  )
  for (const name of await namesIn(join(dataDirectory, sourceDirectory))) {
    // Files of suppressed addresses are unpacked again in each run.
    if (!needed.has(name))
      await rm(join(dataDirectory, sourceDirectory, name), { recursive: true, force: true })
  }
  const uploads = join(dataDirectory, 'uploads')
  for (const name of await namesIn(uploads, true)) {
    if (basename(name).startsWith(partialUpload)) await rm(join(uploads, name), { force: true })
  }
}
