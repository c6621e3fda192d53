import SQLite from 'better-sqlite3'
import { existsSync, linkSync, rmSync } from 'node:fs'
import { join } from 'node:path'

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
 * Takes the data directory for this process. The operating system frees the lock when the process ends in any way, which
 * a file with a process id in it cannot promise. It holds across accounts and containers that share the directory. Where
 * somebody removed the file of the lock, the database itself tells whether anybody uses it.
 * @param patience how long another process is waited for, in milliseconds
 * @throws DirectoryInUse when another process has it
 */
export function takeInstanceLock(dataDirectory: string, patience = 0): InstanceLock {
  const path = instanceLockPath(dataDirectory)
  const isNew = !existsSync(path)
  const lock = new SQLite(path, { timeout: patience })
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

/**
 * Asks the system whether another process has the database open, and reads and writes nothing of it: what is in its log, and whether it
 * is damaged, is not looked at yet. Under another name the database has no log that the end of this connection could copy.
 * @throws SqliteError SQLITE_BUSY when another process has the database open
 */
function requireUnused(databasePath: string): void {
  if (!existsSync(databasePath)) return
  const otherName = `${databasePath}.asked`
  const files = ['', '-wal', '-shm'].map((part) => otherName + part)
  try {
    for (const file of files) rmSync(file, { force: true })
    linkSync(databasePath, otherName)
  } catch {
    // A file system without hard links, such as that of a memory stick: there the file of the lock alone tells.
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
    // What is wrong with the database is found by whoever examines it.
    if (isBusy(error)) throw error
  } finally {
    for (const file of files) rmSync(file, { force: true })
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SQLite.SqliteError && error.code === 'SQLITE_BUSY'
}
