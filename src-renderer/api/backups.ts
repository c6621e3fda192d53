import type {
  BackupsAnswer,
  backupEndpoints,
  importEndpoints,
  RecoveryAnswer
} from '../../src-main/backups/endpoints.ts'
import type { Backup, Verification } from '../../src-main/backups/schema.ts'
import { windowCalls } from './client.ts'

export type { Backup, BackupsAnswer, RecoveryAnswer, Verification }

const backups = windowCalls<typeof backupEndpoints>()
const imports = windowCalls<typeof importEndpoints>()

export function fetchBackups(): Promise<BackupsAnswer> {
  return backups.call('GET /backups')
}

/** Makes one now, and waits until it is on disk and was read back. */
export function createBackup(kind: 'manual' | 'before_change' = 'manual'): Promise<Backup> {
  return backups.call('POST /backups', { body: { kind } })
}

export function verifyBackup(name: string): Promise<Verification> {
  return backups.call('POST /backups/:name/verify', { params: { name } })
}

/** Makes one of what can be read of damaged data. */
export function recoverData(): Promise<RecoveryAnswer> {
  return backups.call('POST /backups/recover')
}

/** Makes one of an archive or of a backup from elsewhere. @param passphrase of an encrypted one */
export function importBackup(file: File, passphrase?: string): Promise<Backup> {
  return imports.call('PUT /backups/import', {
    body: file,
    ...(passphrase !== undefined && { headers: { 'X-Passphrase': encodeURIComponent(passphrase) } })
  })
}

/** Writes what a backup holds as CSV and JSON into an archive. @returns where it is downloaded then */
export async function exportBackup(name: string): Promise<string> {
  const given = { params: { name } }
  await backups.call('POST /backups/:name/archive', given)
  return backups.address('GET /backups/:name/archive', given)
}

/** Encrypts a backup. @returns where it is downloaded then */
export async function encryptBackup(name: string, passphrase: string): Promise<string> {
  const params = { name }
  await backups.call('POST /backups/:name/encrypted', { params, body: { passphrase } })
  return backups.address('GET /backups/:name/encrypted', { params })
}

/** Has each automatic backup copied to a folder, encrypted. */
export async function setCopies(folder: string, passphrase: string): Promise<void> {
  await backups.call('PUT /backups/copies', { body: { folder, passphrase } })
}

/** The copies that were made stay. */
export async function unsetCopies(): Promise<void> {
  await backups.call('DELETE /backups/copies')
}

/** Where the list of what was lost is downloaded. */
export function lossesAddress(name: string): string {
  return backups.address('GET /backups/:name/losses', { params: { name } })
}

/** Has the next start put it in the place of the data. */
export async function requestRestore(name: string): Promise<void> {
  await backups.call('POST /backups/:name/restore', { params: { name } })
}

export async function forgetRestore(): Promise<void> {
  await backups.call('DELETE /backups/restore')
}

export async function deleteBackup(name: string): Promise<void> {
  await backups.call('DELETE /backups/:name', { params: { name } })
}
