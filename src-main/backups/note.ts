import { storageFaultOf } from '../base/errors.ts'
import type { CommandInput } from '../database/command.ts'
import type { Writer } from '../database/writer.ts'
import type { Caller } from '../http/caller.ts'

/** Tells the audit log what somebody did with a backup; not where the data is damaged, to which backups are the way out. */
export async function noteBackup(
  writer: Writer,
  { organizationId }: Caller,
  name: string,
  done: CommandInput<'backups.note'>['done']
): Promise<void> {
  try {
    await writer.run('backups.note', { organizationId, name, done })
  } catch (error) {
    if (storageFaultOf(error)?.kind !== 'damaged') throw error
  }
}
