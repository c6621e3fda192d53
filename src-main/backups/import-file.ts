import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeDirectory, partialPath } from '../base/durable.ts'
import { readArchive } from './archive/read-archive.ts'
import { copyDatabase } from './copy-database.ts'
import { beginningOf } from '../base/file-content.ts'
import { decryptFile, isEncrypted } from './encryption.ts'
import type { Verification } from './schema.ts'
import { placeBackup } from './write-backup.ts'

/** What each archive begins with: it is a ZIP file. */
const archiveBeginning = 'PK\u0003\u0004'
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
  const decrypted = decryptedPath(path)
  await makeDirectory(dirname(path))
  try {
    await decryptFile(file, decrypted, passphrase)
    return await importPlainFile(decrypted, path)
  } finally {
    await rm(decrypted, { force: true })
  }
}

/** Where an encrypted file lies without its encryption while a backup is made of it. */
export function decryptedPath(path: string): string {
  return partialPath(`${path}.decrypted`)
}

/** Whether a file is an archive or encrypted, of which a backup has to be made before it can be read. */
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
