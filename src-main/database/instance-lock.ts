import SQLite from 'better-sqlite3'
import { existsSync, linkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { databasePathIn } from './database-path.ts'

/** Held while an application uses a data directory. */
export interface InstanceLock {
  release(): void
}

export function instanceLockPath(dataDirectory: string): string {
  return join(dataDirectory, 'instance.lock')
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
 * Locks the data directory for this process. The operating system releases the lock when the process ends in
 * any way, which a file with a process id cannot guarantee; it works across accounts and containers. If the
 * lock file was deleted, the database itself shows whether it is in use.
 * @param patience how long to wait for another process, in milliseconds
 * @throws DirectoryInUse
 */
export function takeInstanceLock(dataDirectory: string, patience = 0): InstanceLock {
  const path = instanceLockPath(dataDirectory)
  const isNew = !existsSync(path)
  const lock = new SQLite(path, { timeout: patience })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    if (isNew) requireUnused(databasePathIn(dataDirectory))
  } catch (error) {
    lock.close()
    // Removed, so that the next start also finds that the lock file is missing.
    if (isNew) rmSync(path, { force: true })
    if (!isBusy(error)) throw error
    throw new DirectoryInUse(dataDirectory)
  }
  return { release: () => void lock.close() }
}

/**
 * Checks that no other process has the database open, without reading or writing any of it: its log and
 * possible damage are examined later. Under another name the database has no log that closing this connection
 * could copy.
 * @throws SqliteError SQLITE_BUSY if another process has it open
 */
function requireUnused(databasePath: string): void {
  if (!existsSync(databasePath)) return
  const otherName = `${databasePath}.asked`
  const files = ['', '-wal', '-shm'].map((part) => otherName + part)
  try {
    for (const file of files) rmSync(file, { force: true })
    linkSync(databasePath, otherName)
  } catch {
    // The file system has no hard links, such as on a memory stick; there the lock file alone protects the
    // data.
    return
  }
  try {
    const database = new SQLite(otherName, { timeout: 1000 })
    try {
      database.pragma('locking_mode = EXCLUSIVE')
      database.pragma('user_version')
    } finally {
      database.close()
    }
  } catch (error) {
    // Any other fault of the database is reported by the examination.
    if (isBusy(error)) throw error
  } finally {
    for (const file of files) rmSync(file, { force: true })
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SQLite.SqliteError && error.code === 'SQLITE_BUSY'
}
