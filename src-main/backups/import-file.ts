import { refusal } from '../base/refusal.ts'
import { ExplainedError } from '../base/errors.ts'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeDirectory, partialPath } from '../base/durable.ts'
import { readArchive } from './archive/read-archive.ts'
import { copyDatabase } from './copy-database.ts'
import { beginningOf } from '../base/file-content.ts'
import { decryptFile, isEncrypted } from './encryption.ts'
import type { Verification } from './schema.ts'
import { placeBackup } from './write-backup.ts'

/** The first bytes of an archive, which is a ZIP file. */
const archiveBeginning = 'PK\u0003\u0004'
/** The first bytes of an SQLite database. */
const databaseBeginning = 'SQLite format 3\0'

/**
 * Makes a backup from a file: an archive, or a backup of another folder or computer, encrypted or not.
 * @param path of the backup, which must not exist
 * @param passphrase of an encrypted file
 * @returns its contents
 * @throws Error with a sentence if it is neither, was changed, or there is no space
 */
export async function importFile(
  file: string,
  path: string,
  passphrase: string | null
): Promise<Verification> {
  if (!(await isEncrypted(file))) return importPlainFile(file, path)
  if (passphrase === null) throw new ExplainedError(refusal('passphrase_needed'))
  const decrypted = decryptedPath(path)
  await makeDirectory(dirname(path))
  try {
    await decryptFile(file, decrypted, passphrase)
    return await importPlainFile(decrypted, path)
  } finally {
    await rm(decrypted, { force: true })
  }
}

/** Returns the temporary path of an encrypted file's content. */
export function decryptedPath(path: string): string {
  return partialPath(`${path}.decrypted`)
}

/** True for an archive or encrypted file, which is readable only after making a backup from it. */
export async function isPacked(file: string): Promise<boolean> {
  const beginning = await beginningOf(file, archiveBeginning.length)
  return beginning.toString('latin1') === archiveBeginning || (await isEncrypted(file))
}

async function importPlainFile(file: string, path: string): Promise<Verification> {
  const beginning = await beginningOf(file, databaseBeginning.length)
  const isDatabase = beginning.toString('latin1') === databaseBeginning
  return placeBackup(file, path, (partial) =>
    isDatabase ? copyDatabase(file, partial, 'The file') : readArchive(file, partial)
  )
}
