import SQLite from 'better-sqlite3'
import { copyFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeDirectory } from '../base/durable.ts'
import { readArchive } from './archive/read-archive.ts'
import { beginningOf, decryptFile, isEncrypted } from './encryption.ts'
import type { Verification } from './schema.ts'
import { placeBackup } from './write-backup.ts'

/** What each database of SQLite begins with. */
const databaseBeginning = 'SQLite format 3\0'

/**
 * Makes a backup of a file: an archive, or a backup of another folder or computer, either of them encrypted or not.
 * @param path of the backup; another file of that name is not replaced
 * @param passphrase of an encrypted one
 * @returns what it holds
 * @throws Error with a sentence where it is neither, was changed, or there is no room
 */
export async function importFile(
  file: string,
  path: string,
  passphrase: string | null
): Promise<Verification> {
  if (!(await isEncrypted(file))) return importPlainFile(file, path)
  if (passphrase === null) throw new Error('The file is encrypted: its passphrase is needed.')
  const decrypted = join(dirname(path), `.${basename(path)}.decrypted.part`)
  await makeDirectory(dirname(path))
  try {
    await decryptFile(file, decrypted, passphrase)
    return await importPlainFile(decrypted, path)
  } finally {
    await rm(decrypted, { force: true })
  }
}

async function importPlainFile(file: string, path: string): Promise<Verification> {
  const beginning = await beginningOf(file, databaseBeginning.length)
  const read = beginning.toString('latin1') === databaseBeginning ? readDatabase : readArchive
  return placeBackup(file, path, (partial) => read(file, partial))
}

async function readDatabase(file: string, path: string): Promise<void> {
  await copyFile(file, path)
  try {
    // A file of its own, without a log beside it.
    const copy = new SQLite(path)
    copy.pragma('journal_mode = DELETE')
    copy.close()
  } catch (error) {
    throw new Error('The file is a damaged database.', { cause: error })
  }
}
