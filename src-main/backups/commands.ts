import { type Command, recordOne } from '../database/command.ts'
import type { ChangeAction } from '../database/schema.ts'
import type { CopiesSetting } from './copies.ts'
import { copiesSetting } from './queries.ts'

interface Note {
  organizationId: number
  /** Of the backup. */
  name: string
  /** What was done with it. */
  done: 'made' | 'imported' | 'exported' | 'restore_requested' | 'deleted'
}

const actionOf: Record<Note['done'], ChangeAction> = {
  made: 'create',
  imported: 'create',
  exported: 'update',
  restore_requested: 'update',
  deleted: 'delete'
}

/** Notes for the audit log what somebody did with a backup, which holds everything. */
const noteBackup: Command<Note, void> = (context, { organizationId, name, done }) => {
  const action = actionOf[done]
  recordOne(context, 'backup', action, { organizationId }, 0, {
    name,
    ...(action === 'update' && { [done]: true })
  })
  return Promise.resolve()
}

/** Sets where encrypted copies of backups go; null for nowhere. */
const setCopies: Command<{ organizationId: number; copies: CopiesSetting | null }, void> = async (
  context,
  { organizationId, copies }
) => {
  const before = await copiesSetting(context.db)
  await context.db
    .replaceInto('settings')
    .values({ name: 'backup_copies', value: JSON.stringify(copies) })
    .execute()
  recordOne(context, 'settings', 'update', { organizationId }, 0, {
    backup_copies: [before?.folder ?? null, copies?.folder ?? null]
  })
}

export const backupCommands = { note: noteBackup, setCopies }

declare module '../database/command.ts' {
  interface CommandRegistry {
    backups: typeof backupCommands
  }
}
declare module '../database/schema.ts' {
  interface ChangedEntities {
    /** By its name: it has no id. */
    backup: unknown
  }
}
