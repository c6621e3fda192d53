import type { Change, CommandContext } from './command.ts'

/** Writes what a command changed into the append-only change log, in the command's own transaction. */
export async function appendToChangeLog(context: CommandContext, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return
  await context.db
    .insertInto('change_log')
    .values(
      changes.map((change) => ({
        at: context.now,
        entity: change.entity,
        action: change.action,
        organization_id: change.organizationId,
        mailing_list_id: change.mailingListId,
        first_id: change.firstId,
        last_id: change.lastId
      }))
    )
    .execute()
}
