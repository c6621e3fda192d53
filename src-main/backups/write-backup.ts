import { refusal } from '../base/refusal.ts'
import { ExplainedError } from '../base/errors.ts'
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectory, moveDurably, partialPath, syncFileSync, writeDurably } from '../base/durable.ts'
import { openForReading } from '../database/connection.ts'
import { intoOneFile, removeDatabase } from './copy-database.ts'
import { notePath } from './files.ts'
import { requireRoom } from './room.ts'
import type { Verification } from './schema.ts'
import { verifyBackup } from './verify.ts'

/** Pages of one step: some 4 MB, between which the thread can be ended. */
const pagesPerStep = 1000

/**
 * Copies a database as it is at one moment, whatever is written meanwhile; no reader and no writer waits for it. The copy has its name
 * once it is on disk and was read back without a fault.
 * @param path of the copy; neither a file of that name nor one beside it that would be its note is replaced
 * @returns what the copy holds
 * @throws Error with a sentence where there is no room, or the copy is not what it should be
 */
export async function writeBackup(databasePath: string, path: string): Promise<Verification> {
  return placeBackup(databasePath, path, (partial) => copyOf(databasePath, partial))
}

/**
 * Makes a backup that gets its name once it is durable and was verified.
 * @param databasePath of the original database
 * @param path of the backup, which must not exist
 * @param write creates a database at the given path
 * @throws Error with a sentence if there is no space, or the backup is faulty
 */
export async function placeBackup(
  databasePath: string,
  path: string,
  write: (partial: string) => Promise<void>
): Promise<Verification> {
  for (const each of [path, notePath(path)])
    if (existsSync(each)) throw new ExplainedError(refusal('file_exists', { path: each }))
  await makeDirectory(dirname(path))
  await requireRoom('A backup', statSync(databasePath).size, dirname(path))
  const partial = partialPath(path)
  await removeDatabase(partial)
  try {
    await write(partial)
    const found = await verifyBackup(partial, 'The file')
    if (!found.ok) throw new ExplainedError(refusal('backup_faulty', { faults: found.faults.join('; ') }))
    await writeDurably(notePath(path), JSON.stringify({ tables: found.tables }))
    await moveDurably(partial, () => path)
    return found
  } finally {
    await removeDatabase(partial)
  }
}

async function copyOf(databasePath: string, path: string): Promise<void> {
  const source = openForReading(databasePath)
  try {
    // One read transaction: later changes are not part of the copy and do not restart it.
    source.exec('BEGIN')
    source.prepare('SELECT 1 FROM sqlite_schema').get()
    await source.backup(path, {
      progress: () => {
        // Synced after each step: one sync of the whole file would delay every change that waits for the
        // disk. Closing a file releases SQLite's locks on it, which does no harm, as no one else opens the
        // copy.
        syncFileSync(path)
        return pagesPerStep
      }
    })
    source.exec('COMMIT')
  } finally {
    source.close()
  }
  intoOneFile(path)
}
