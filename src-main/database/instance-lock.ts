import SQLite from 'better-sqlite3'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { takeInLog } from './noted-checkpoint.ts'

/** Held while an application uses a data directory. */
export interface InstanceLock {
  release(): void
}

/** Another process has the data directory. */
export class DirectoryInUse extends Error {
  constructor(dataDirectory: string) {
    super(
      `Another Listwright already uses the data in ${dataDirectory}. ` +
        'Close it first, or start this one with another --data-dir.'
    )
    this.name = 'DirectoryInUse'
  }
}

/**
 * Takes the data directory for this process. The operating system frees the lock when the process ends in any way, which
 * a file with a process id in it cannot promise. It holds across accounts and containers that share the directory. Where
 * somebody removed the file of the lock, the database itself tells whether anybody uses it.
 * @throws DirectoryInUse when another process has it
 */
export function takeInstanceLock(dataDirectory: string): InstanceLock {
  const path = join(dataDirectory, 'instance.lock')
  const isNew = !existsSync(path)
  const lock = new SQLite(path, { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    if (isNew) requireUnused(join(dataDirectory, 'listwright.db'))
  } catch (error) {
    lock.close()
    // The next one must find as well that it is missing.
    if (isNew) rmSync(path, { force: true })
    if (!isBusy(error)) throw error
    throw new DirectoryInUse(dataDirectory)
  }
  return { release: () => void lock.close() }
}

/** @throws SqliteError SQLITE_BUSY when another process has the database open */
function requireUnused(databasePath: string): void {
  if (!existsSync(databasePath)) return
  // The end of the only connection copies what one that was killed left in the log.
  takeInLog(databasePath)
  const database = new SQLite(databasePath, { timeout: 1000 })
  try {
    database.pragma('locking_mode = EXCLUSIVE')
    database.pragma('user_version')
  } finally {
    database.close()
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SQLite.SqliteError && error.code === 'SQLITE_BUSY'
}
