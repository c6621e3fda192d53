import { type Command, recordOne } from '../database/command.ts'

interface Note {
  organizationId: number
  /** Of the backup. */
  name: string
  /** What was done with it. */
  done: 'made' | 'imported' | 'exported' | 'restore_requested' | 'deleted'
}

/** Notes for the audit log what somebody did with a backup, which holds everything. */
const noteBackup: Command<Note, void> = (context, { organizationId, name, done }) => {
  const action = done === 'deleted' ? 'delete' : done === 'made' || done === 'imported' ? 'create' : 'update'
  const isTold = done === 'exported' || done === 'restore_requested'
  recordOne(context, 'backup', action, { organizationId }, 0, { name, ...(isTold && { [done]: true }) })
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
