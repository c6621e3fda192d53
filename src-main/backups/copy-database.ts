import { refusal } from '../base/refusal.ts'
import { ExplainedError } from '../base/errors.ts'
import SQLite from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { chmod, copyFile, rm } from 'node:fs/promises'
import { isUnreadable } from '../integrity/structure.ts'

/**
 * Copies a database that nothing has open into a single private file, including its log.
 * @param called its name in sentences
 * @throws Error with a sentence if the file is missing or SQLite cannot read it
 */
export async function copyDatabase(path: string, copy: string, called = path): Promise<void> {
  if (!existsSync(path)) throw new ExplainedError(refusal('no_file', { path }))
  // A log left beside an interrupted copy would be replayed into this one.
  await removeDatabase(copy)
  for (const part of ['', '-wal'].filter((each) => each === '' || existsSync(path + each))) {
    await copyFile(path + part, copy + part)
    // The copy of a read-only file, such as one on a CD, would be read-only as well and could not be synced.
    await chmod(copy + part, 0o600)
  }
  try {
    intoOneFile(copy)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    throw new ExplainedError(refusal('no_backup_or_damaged', { path: called }), { cause: error })
  }
}

/** Merges the log of a database that nothing has open into it. */
export function intoOneFile(path: string): void {
  const database = new SQLite(path)
  try {
    database.pragma('journal_mode = DELETE')
  } finally {
    database.close()
  }
}

/** Deletes a database that nothing has open, with its log. */
export async function removeDatabase(path: string): Promise<void> {
  for (const part of ['', '-wal', '-shm', '-journal']) await rm(path + part, { force: true })
}
