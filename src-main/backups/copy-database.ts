import SQLite from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { chmod, copyFile, rm } from 'node:fs/promises'
import { isUnreadable } from '../integrity/structure.ts'

/**
 * Copies a database that nobody uses into a file of its own, for its owner alone: what lies in a log beside it is taken in.
 * @param called what sentences call it
 * @throws Error with a sentence where there is no such file, or SQLite cannot read it
 */
export async function copyDatabase(path: string, copy: string, called = path): Promise<void> {
  if (!existsSync(path)) throw new Error(`There is no file ${path}.`)
  // The log of another copy that was cut off would be read into this one.
  await removeDatabase(copy)
  for (const part of ['', '-wal'].filter((each) => each === '' || existsSync(path + each))) {
    await copyFile(path + part, copy + part)
    // A copy of what only can be read, such as a file of a CD, could not be written to disk.
    await chmod(copy + part, 0o600)
  }
  try {
    intoOneFile(copy)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    throw new Error(`${called} is not a Listwright backup, or is damaged.`, { cause: error })
  }
}

/** Takes the log of a database that nobody uses into it, so that none lies beside it. */
export function intoOneFile(path: string): void {
  const database = new SQLite(path)
  try {
    database.pragma('journal_mode = DELETE')
  } finally {
    database.close()
  }
}

/** Removes a database that nobody uses, with what lies beside it. */
export async function removeDatabase(path: string): Promise<void> {
  for (const part of ['', '-wal', '-shm', '-journal']) await rm(path + part, { force: true })
}
