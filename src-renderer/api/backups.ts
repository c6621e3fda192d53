import type {
  archiveEndpoints,
  BackupsAnswer,
  backupEndpoints,
  RecoveryAnswer
} from '../../src-main/backups/endpoints.ts'
import type { Backup, Verification } from '../../src-main/backups/schema.ts'
import { windowCalls } from './client.ts'

export type { Backup, BackupsAnswer, RecoveryAnswer, Verification }

const backups = windowCalls<typeof backupEndpoints>()
const archives = windowCalls<typeof archiveEndpoints>()

export function fetchBackups(): Promise<BackupsAnswer> {
  return backups.call('GET /backups')
}

/** Makes one now, and waits until it is on disk and was read back. */
export function createBackup(): Promise<Backup> {
  return backups.call('POST /backups')
}

export function verifyBackup(name: string): Promise<Verification> {
  return backups.call('POST /backups/:name/verify', { params: { name } })
}

/** Makes one of what can be read of damaged data. */
export function recoverData(): Promise<RecoveryAnswer> {
  return backups.call('POST /backups/recover')
}

/** Makes one of an archive. */
export function importArchive(file: File): Promise<Backup> {
  return archives.call('PUT /backups/archive', { body: file })
}

/** Writes what a backup holds as CSV and JSON into an archive. @returns where it is downloaded then */
export async function exportBackup(name: string): Promise<string> {
  const given = { params: { name } }
  await backups.call('POST /backups/:name/archive', given)
  return backups.address('GET /backups/:name/archive', given)
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
