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

/** Makes a backup, and waits until it is durable and verified. */
export function createBackup(kind: 'manual' | 'before_change' = 'manual'): Promise<Backup> {
  return backups.call('POST /backups', { body: { kind } })
}

export function verifyBackup(name: string): Promise<Verification> {
  return backups.call('POST /backups/:name/verify', { params: { name } })
}

/** Makes a backup of what is readable in damaged data. */
export function recoverData(): Promise<RecoveryAnswer> {
  return backups.call('POST /backups/recover')
}

/**
 * Makes a backup from an archive or another backup.
 * @param passphrase of an encrypted file
 */
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

/** Enables encrypted copies of each automatic backup in a folder. */
export async function setCopies(folder: string, passphrase: string): Promise<void> {
  await backups.call('PUT /backups/copies', { body: { folder, passphrase } })
}

/** The copies that were made stay. */
export async function unsetCopies(): Promise<void> {
  await backups.call('DELETE /backups/copies')
}

export function lossesAddress(name: string): string {
  return backups.address('GET /backups/:name/losses', { params: { name } })
}

export async function requestRestore(name: string): Promise<void> {
  await backups.call('POST /backups/:name/restore', { params: { name } })
}

export async function withdrawRestore(): Promise<void> {
  await backups.call('DELETE /backups/restore')
}

export async function deleteBackup(name: string): Promise<void> {
  await backups.call('DELETE /backups/:name', { params: { name } })
}
