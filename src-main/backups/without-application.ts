import { join } from 'node:path'
import { takeInstanceLock } from '../database/instance-lock.ts'
import { openForGood } from '../integrity/verify-pages.ts'
import { backupFolder, backupName } from './files.ts'
import { type Recovery, recoverBackup } from './recover.ts'
import { databasePathIn } from '../database/database-path.ts'

// What is done while no application has the data directory, such as one that does not start any more.

/**
 * Makes a backup of what is readable in damaged data.
 * @throws DirectoryInUse; Error with a sentence as recoverBackup does
 */
export function recoverAlone(dataDirectory: string): Promise<Recovery & { name: string; path: string }> {
  return alone(dataDirectory, async () => {
    const databasePath = databasePathIn(dataDirectory)
    const name = backupName('recovered', Date.now())
    const path = join(dataDirectory, backupFolder, name)
    const recovery = await recoverBackup({ databasePath, file: openForGood(databasePath) }, path)
    return { ...recovery, name, path }
  })
}

/**
 * Runs work with exclusive access to the data.
 * @throws DirectoryInUse
 */
export async function alone<Result>(dataDirectory: string, work: () => Promise<Result>): Promise<Result> {
  const lock = takeInstanceLock(dataDirectory)
  try {
    return await work()
  } finally {
    lock.release()
  }
}
