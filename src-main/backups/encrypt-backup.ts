import { refusal } from '../base/refusal.ts'
import { ExplainedError } from '../base/errors.ts'
import { existsSync } from 'node:fs'
import { partialPath } from '../base/durable.ts'
import { copyDatabase, removeDatabase } from './copy-database.ts'
import { encryptFile } from './encryption.ts'
import { notePath } from './files.ts'
import { verifyBackup } from './verify.ts'

/**
 * Encrypts a backup and its log with a passphrase, after verifying it: a damaged backup must not replace a
 * good one.
 * @param encrypted the file, which is replaced if it exists
 * @param cost as of {@link encryptFile}
 * @throws Error with a sentence if the backup cannot be used, or the file cannot be written
 */
export async function encryptBackup(
  path: string,
  encrypted: string,
  passphrase: string,
  cost?: number
): Promise<void> {
  const hasLog = existsSync(`${path}-wal`)
  const whole = hasLog ? partialPath(`${path}.whole`) : path
  try {
    if (hasLog) await copyDatabase(path, whole)
    const { ok, faults } = await verifyBackup(whole, path, notePath(path))
    if (!ok) throw new ExplainedError(refusal('cannot_be_used', { path, faults: faults.join('; ') }))
    await encryptFile(whole, encrypted, passphrase, cost)
  } finally {
    if (hasLog) await removeDatabase(whole)
  }
}
