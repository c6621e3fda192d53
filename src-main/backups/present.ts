import { formatTime } from '../base/times.ts'
import type { Copies } from './copies.ts'
import type { BackupsAnswer } from './endpoints.ts'
import type { BackupFile } from './files.ts'
import type { FinishedRestore } from './finish-restore.ts'
import type { Backup } from './schema.ts'

export function presentBackup({ name, kind, createdAt, bytes }: BackupFile, timeZone: string): Backup {
  return { name, kind, created_at: formatTime(createdAt, timeZone), bytes }
}

export function presentRestored(restored: FinishedRestore | null): BackupsAnswer['restored'] {
  return restored && { name: restored.name, paused_campaigns: restored.pausedCampaigns }
}

/** The state of encrypted copies as the window shows it. */
export function presentCopies(
  state: Awaited<ReturnType<Copies['state']>>,
  timeZone: string
): BackupsAnswer['copies'] {
  if (!state) return null
  const { folder, lastAt, fault } = state
  return { folder, last_at: lastAt === null ? null : formatTime(lastAt, timeZone), fault }
}
