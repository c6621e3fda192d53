import { type Command, recordOne } from '../database/command.ts'
import type { ChangeAction } from '../database/schema.ts'

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

export const backupCommands = { note: noteBackup }

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
