import { systemOrganizationId } from '../api/organizations/rules.ts'
import { messageOf, storageFaultOf } from '../base/errors.ts'
import type { CommandInput } from '../database/command.ts'
import type { Writer } from '../database/writer.ts'

/**
 * Records a user's action on a backup in the audit log. A failure to record it is ignored: with a full disk
 * or damaged data, backups are the way out.
 */
export async function recordBackupInAuditLog(
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
