import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupKind } from './schema.ts'

// Backups are files of the folder "backups" in the data directory, whose names tell what they are; what has another name is somebody's own.

export const backupFolder = 'backups'

/** A backup as it lies in the folder. */
export interface BackupFile {
  name: string
  path: string
  kind: BackupKind
  /** UNIX milliseconds. */
  createdAt: number
  bytes: number
}

const momentPattern = String.raw`(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z)`
const patterns: Record<BackupKind, RegExp> = {
  scheduled: new RegExp(`^listwright-scheduled-${momentPattern}\\.db$`),
  manual: new RegExp(`^listwright-backup-${momentPattern}\\.db$`),
  // By database/migrate.ts.
  before_update: new RegExp(`^listwright-schema-\\d+-${momentPattern}\\.db$`),
  before_restore: new RegExp(`^listwright-before-restore-${momentPattern}\\.db$`)
}

/** The name of a new one. @param now UNIX milliseconds */
export function backupName(kind: Exclude<BackupKind, 'before_update'>, now: number): string {
  const part = { scheduled: 'scheduled', manual: 'backup', before_restore: 'before-restore' }[kind]
  return `listwright-${part}-${new Date(now).toISOString().replaceAll(':', '-')}.db`
}

/** The backups of a folder, the newest first. */
export function backupsIn(directory: string): BackupFile[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .flatMap((name): BackupFile[] => {
      for (const [kind, pattern] of Object.entries(patterns) as [BackupKind, RegExp][]) {
        const [, moment] = pattern.exec(name) ?? []
        if (moment === undefined) continue
        const path = join(directory, name)
        const bytes = statSync(path, { throwIfNoEntry: false })?.size
        if (bytes !== undefined) return [{ name, path, kind, createdAt: timeOf(moment), bytes }]
      }
      return []
    })
    .sort((a, b) => b.createdAt - a.createdAt)
}

/** 2026-11-23T10-20-30.000Z: file systems of Windows take no colons. */
function timeOf(moment: string): number {
  return Date.parse(moment.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'))
}

/** Beside a backup lies what was found in it when it was written. */
export function notePath(backupPath: string): string {
  return `${backupPath}.json`
}

export function removeBackup({ path }: BackupFile): void {
  rmSync(path, { force: true })
  rmSync(notePath(path), { force: true })
}
