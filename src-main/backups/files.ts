import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileMoment, fileMomentPattern, timeOfFileMoment } from '../base/file-moments.ts'
import type { BackupKind } from './schema.ts'

// Backups are files of the folder "backups" in the data directory, whose names tell what they are; what has another name is somebody's own.

export const backupFolder = 'backups'
/** What the name of an encrypted file ends with. */
export const encryptedSuffix = '.age'

/** A backup as it lies in the folder. */
export interface BackupFile {
  name: string
  path: string
  kind: BackupKind
  /** UNIX milliseconds. */
  createdAt: number
  bytes: number
}

const patterns: Record<BackupKind, RegExp> = {
  scheduled: new RegExp(`^listwright-scheduled-${fileMomentPattern}\\.db$`),
  manual: new RegExp(`^listwright-backup-${fileMomentPattern}\\.db$`),
  before_change: new RegExp(`^listwright-before-change-${fileMomentPattern}\\.db$`),
  // By database/migrate.ts.
  before_update: new RegExp(`^listwright-schema-\\d+-${fileMomentPattern}\\.db$`),
  before_restore: new RegExp(`^listwright-before-restore-${fileMomentPattern}\\.db$`),
  recovered: new RegExp(`^listwright-recovered-${fileMomentPattern}\\.db$`),
  imported: new RegExp(`^listwright-imported-${fileMomentPattern}\\.db$`)
}

/** The name of a new one. @param now UNIX milliseconds */
export function backupName(kind: Exclude<BackupKind, 'before_update'>, now: number): string {
  const part = {
    scheduled: 'scheduled',
    manual: 'backup',
    before_change: 'before-change',
    before_restore: 'before-restore',
    recovered: 'recovered',
    imported: 'imported'
  }[kind]
  return `listwright-${part}-${fileMoment(now)}.db`
}

/**
 * The backups of a folder, the newest first.
 * @param suffix what follows the name of each, such as that of encrypted copies
 */
export function backupsIn(directory: string, suffix = ''): BackupFile[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .filter((name) => name.endsWith(suffix))
    .flatMap((name): BackupFile[] => {
      for (const [kind, pattern] of Object.entries(patterns) as [BackupKind, RegExp][]) {
        const [, moment] = pattern.exec(name.slice(0, name.length - suffix.length)) ?? []
        if (moment === undefined) continue
        const path = join(directory, name)
        const bytes = statSync(path, { throwIfNoEntry: false })?.size
        if (bytes !== undefined) return [{ name, path, kind, createdAt: timeOfFileMoment(moment), bytes }]
      }
      return []
    })
    .sort((a, b) => b.createdAt - a.createdAt)
}

/** Beside a backup lies what was found in it when it was written. */
export function notePath(backupPath: string): string {
  return `${backupPath}.json`
}

/** Beside one that was recovered from damaged data lies the list of what was lost, as CSV. */
export function lossesPath(backupPath: string): string {
  return backupPath.replace(/(\.db)?$/, '-losses.csv')
}

/** Beside one that was exported lies the archive. */
export function archivePath(backupPath: string): string {
  return backupPath.replace(/(\.db)?$/, '.zip')
}

/** Beside one that was exported with a passphrase lies the encrypted file. */
export function encryptedPath(backupPath: string): string {
  return backupPath + encryptedSuffix
}

/** A file that is being written was written to a moment ago; one that was not for so long was left by a process that was killed. Milliseconds. */
const leftAfter = 60 * 60 * 1000

/** Removes what processes that were killed left of backups and archives. @param now UNIX milliseconds */
export function removeLeftParts(directory: string, now: number): void {
  if (!existsSync(directory)) return
  for (const name of readdirSync(directory)) {
    if (!/^\.(listwright-|import-).*\.part(-journal)?$/.test(name)) continue
    const path = join(directory, name)
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (written !== undefined && written < now - leftAfter) rmSync(path, { force: true })
  }
}

export function removeBackup({ path }: BackupFile): void {
  const ofALog = ['-wal', '-shm', '-wal-as-found'].map((part) => path + part)
  for (const each of [
    path,
    notePath(path),
    lossesPath(path),
    archivePath(path),
    encryptedPath(path),
    ...ofALog
  ])
    rmSync(each, { force: true })
}
