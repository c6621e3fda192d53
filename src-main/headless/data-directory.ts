import type { Kysely } from 'kysely'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { backupFolder } from '../backups/files.ts'
import { kyselyOver, openForReading } from '../database/connection.ts'
import { DirectoryInUse, instanceLockPath, takeInstanceLock } from '../database/instance-lock.ts'
import { newestSchema } from '../database/migrate.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { examineDatabase } from '../integrity/examine.ts'
import { openForGood } from '../integrity/verify-pages.ts'
import { startWriter } from '../start-writer.ts'
import { databasePathIn } from '../database/database-path.ts'

/** The data of an application that may run beside this program. */
export interface DataDirectory {
  reader: Kysely<Schema>
  write<Result>(work: (writer: Writer) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** @throws Error with a sentence for the user where there is no data, or it is another version's */
export function openDataDirectory(path: string): DataDirectory {
  const directory = requireData(path)
  const databasePath = databasePathIn(directory)
  renewLock(directory)
  const connection = openForReading(databasePath)
  const schema = connection.pragma('user_version', { simple: true }) as number
  if (schema !== newestSchema) {
    connection.close()
    throw new Error(
      schema > newestSchema
        ? 'The data was written by a newer version of Listwright. Use that version.'
        : 'The data was written by an earlier version. Start this version on it once to update the data.'
    )
  }
  const reader = kyselyOver(connection)
  return {
    reader,
    async write(work) {
      requireSound(directory, databasePath)
      const writer = await startWriter({ databasePath, backupDirectory: join(directory, backupFolder) })
      try {
        return await work(writer)
      } finally {
        await writer.close()
      }
    },
    close: () => reader.destroy()
  }
}

/**
 * Recreates a deleted lock file. While it is missing the database shows whether it is in use, but only until
 * this process opens it.
 */
function renewLock(directory: string): void {
  if (existsSync(instanceLockPath(directory))) return
  try {
    takeInstanceLock(directory).release()
  } catch (error) {
    if (!(error instanceof DirectoryInUse)) throw error
  }
}

/** @throws Error with a sentence where data that no application has open is damaged: nothing is written beside that */
function requireSound(directory: string, databasePath: string): void {
  const [fault] = changesByOthers(directory, databasePath)
  if (fault === undefined) return
  throw new Error(
    `${fault} Nothing is written until this is fixed: start Listwright, or run listwright check.`
  )
}

/**
 * Returns a sentence for each change that another program made to the data. Returns none while an application has the data open,
 * since that application checks it itself.
 */
export function changesByOthers(directory: string, databasePath: string): string[] {
  try {
    const lock = takeInstanceLock(directory)
    try {
      return examineDatabase({ databasePath, file: openForGood(databasePath) })
    } finally {
      lock.release()
    }
  } catch (error) {
    if (error instanceof DirectoryInUse) return []
    throw error
  }
}

/** @returns the directory as an absolute path. @throws Error with a sentence where nothing was ever kept there */
export function requireData(path: string): string {
  const directory = resolve(path)
  if (existsSync(databasePathIn(directory))) return directory
  throw new Error(
    `There is no data in ${directory} yet. Start the application there once, or choose another folder with --data-dir.`
  )
}
