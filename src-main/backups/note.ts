import { systemOrganizationId } from '../api/organizations/rules.ts'
import { messageOf, storageFaultOf } from '../base/errors.ts'
import type { CommandInput } from '../database/command.ts'
import type { Writer } from '../database/writer.ts'

/**
 * Tells the audit log what somebody did with a backup. It is done by then, whatever keeps the log from being written: a disk
 * that is full, or damaged data, to which backups are the way out.
 */
export async function tellOfBackup(
  writer: Writer,
  name: string,
  done: CommandInput<'backups.note'>['done']
): Promise<void> {
  try {
    await writer.run('backups.note', { organizationId: systemOrganizationId, name, done })
  } catch (error) {
    if (!storageFaultOf(error)) throw error
    process.stderr.write(`A backup could not be recorded in the audit log: ${messageOf(error)}\n`)
  }
}
