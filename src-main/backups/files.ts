import { existsSync, readdirSync, statSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileMoment, fileMomentPattern, timeOfFileMoment } from '../base/file-moments.ts'
import type { BackupKind } from './schema.ts'

// Backups are files in the folder "backups" of the data directory, recognized by their names; other files are
// the user's own.

export const backupFolder = 'backups'
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
  // Made by database/migrate.ts.
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

/** The backups of the data directory's folder, the newest first. */
export function backupsIn(directory: string): BackupFile[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .flatMap((name): BackupFile[] => {
      const meaning = meaningOf(name)
      const path = join(directory, name)
      if (!meaning) return []
      const bytes = statSync(path, { throwIfNoEntry: false })?.size
      return bytes === undefined ? [] : [{ name, path, ...meaning, bytes }]
    })
    .sort((a, b) => b.createdAt - a.createdAt)
}

/**
 * The encrypted copies of a folder, which may be on a drive that takes its time, the newest first.
 * @throws Error of Node where it cannot be read
 */
export async function copiesIn(directory: string): Promise<BackupFile[]> {
  const copies: BackupFile[] = []
  for (const name of await readdir(directory)) {
    const meaning = name.endsWith(encryptedSuffix) ? meaningOf(name.slice(0, -encryptedSuffix.length)) : null
    const path = join(directory, name)
    if (meaning) copies.push({ name, path, ...meaning, bytes: (await stat(path)).size })
  }
  return copies.sort((a, b) => b.createdAt - a.createdAt)
}

/** Reads kind and time from the name of a backup; null for other files. */
function meaningOf(name: string): Pick<BackupFile, 'kind' | 'createdAt'> | null {
  for (const [kind, pattern] of Object.entries(patterns) as [BackupKind, RegExp][]) {
    const [, moment] = pattern.exec(name) ?? []
    if (moment !== undefined) return { kind, createdAt: timeOfFileMoment(moment) }
  }
  return null
}

/**
 * The one that was made last. Those that lie ahead of the clock were made while it was wrong: they count only where there is no other.
 * @param backups the newest first
 * @param now UNIX milliseconds
 */
export function lastMade(backups: readonly BackupFile[], now: number): BackupFile | undefined {
  return backups.find(({ createdAt }) => createdAt <= now) ?? backups[0]
}

export function notePath(backupPath: string): string {
  return `${backupPath}.json`
}

/** Returns the path of the list of losses (CSV) of a recovered backup. */
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

/** Prefix of the folder in which a command of the command line works. */
export const passingFolder = '.listwright-passing-'

/**
 * Removes the incomplete backups, archives and copies that killed processes left behind.
 * @param now UNIX milliseconds
 * @throws Error of Node where the folder cannot be read
 */
export async function removeLeftParts(directory: string, now: number): Promise<void> {
  if (!existsSync(directory)) return
  for (const name of await readdir(directory)) {
    const isPassing = name.startsWith(passingFolder)
    if (!isPassing && !/^\.+(listwright-|import-).*\.part(-journal|-wal|-shm)?$/.test(name)) continue
    const path = join(directory, name)
    // Another process may have removed it in the meantime.
    const within = isPassing ? await readdir(path).catch(() => []) : []
    const written = await Promise.all([path, ...within.map((each) => join(path, each))].map(lastWritten))
    if (Math.max(...written) < now - leftAfter) await rm(path, { recursive: true, force: true })
  }
}

/** UNIX milliseconds; 0 if the file is missing. */
async function lastWritten(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.mtimeMs ?? 0
}

export async function removeBackup({ path }: Pick<BackupFile, 'path'>): Promise<void> {
  const ofALog = ['-wal', '-shm', '-wal-as-found'].map((part) => path + part)
  for (const each of [
    path,
    notePath(path),
    lossesPath(path),
    archivePath(path),
    encryptedPath(path),
    ...ofALog
  ])
    await rm(each, { force: true })
}
