import SQLite from 'better-sqlite3'
import { join } from 'node:path'

/** Held while an application uses a data directory. */
export interface InstanceLock {
  release(): void
}

/**
 * Takes the data directory for this process. The operating system frees the lock when the process ends in any way, which
 * a file with a process id in it cannot promise.
 * @throws Error with a sentence for the user when another process has it.
 */
export function takeInstanceLock(dataDirectory: string): InstanceLock {
  const lock = new SQLite(join(dataDirectory, 'instance.lock'), { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (error instanceof SQLite.SqliteError && error.code === 'SQLITE_BUSY') {
      throw new Error(
        `Another Listwright already uses the data in ${dataDirectory}. ` +
          'Close it first, or start this one with another --data-dir.'
      )
    }
    throw error
  }
  return { release: () => lock.close() }
}
