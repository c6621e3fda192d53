import type { BackupFile } from './files.ts'

/**
 * How many automatic backups are kept: the newest of so many hours, days and weeks; and how many of those
 * before changes.
 */
export const kept = { hours: 24, days: 7, weeks: 4, changes: 5 } as const

const hour = 60 * 60 * 1000
const day = 24 * hour
const week = 7 * day

/**
 * Returns the backups to delete. Of scheduled backups, the newest of each of the last hours, days and weeks
 * that have one stay, so a month without use loses nothing. Of those made before large changes, the newest
 * five stay. Backups dated in the future are counted separately.
 * @param backups in any order; other kinds are never returned
 * @param now UNIX milliseconds
 */
export function outlived(backups: readonly BackupFile[], now: number): BackupFile[] {
  const newestFirst = [...backups].sort((a, b) => b.createdAt - a.createdAt)
  return [
    ...pushedOut(newestFirst.filter(({ createdAt }) => createdAt <= now)),
    ...pushedOut(newestFirst.filter(({ createdAt }) => createdAt > now))
  ]
}

function pushedOut(newestFirst: readonly BackupFile[]): BackupFile[] {
  const scheduled = newestFirst.filter(({ kind }) => kind === 'scheduled')
  const beforeChanges = newestFirst.filter(({ kind }) => kind === 'before_change')
  const staying = new Set([
    ...newestOfEach(scheduled, hour).slice(0, kept.hours),
    ...newestOfEach(scheduled, day).slice(0, kept.days),
    ...newestOfEach(scheduled, week).slice(0, kept.weeks)
  ])
  return [...scheduled.filter((backup) => !staying.has(backup)), ...beforeChanges.slice(kept.changes)]
}

/** @param backups the newest first. @param span in milliseconds */
function newestOfEach(backups: readonly BackupFile[], span: number): BackupFile[] {
  const newest = new Map<number, BackupFile>()
  for (const backup of backups) {
    const at = Math.floor(backup.createdAt / span)
    if (!newest.has(at)) newest.set(at, backup)
  }
  return [...newest.values()]
}
