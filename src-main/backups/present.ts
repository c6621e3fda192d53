import { formatTime } from '../base/times.ts'
import type { BackupFile } from './files.ts'
import type { Backup } from './schema.ts'

/** A backup as the window shows it. */
export function presentBackup({ name, kind, createdAt, bytes }: BackupFile, timeZone: string): Backup {
  return { name, kind, created_at: formatTime(createdAt, timeZone), bytes }
}
