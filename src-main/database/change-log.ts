import { packJson } from '../base/packed-json.ts'
import { type Change, type CommandContext, inBackground } from './command.ts'

/**
 * Writes what a command changed into the append-only change log, in the command's own transaction.
 * @returns the last entry's id; null where nothing changed
 */
export async function appendToChangeLog(
  context: CommandContext,
  changes: readonly Change[]
): Promise<number | null> {
  if (changes.length === 0) return null
  const { via = null, causeId = null, userId = null } = context.origin ?? {}
  const { insertId } = await context.db
    .insertInto('change_log')
    .values(
      await Promise.all(
        changes.map(async (change) => ({
          at: context.now,
          entity: change.entity,
          action: change.action,
          organization_id: change.organizationId,
          mailing_list_id: change.mailingListId,
          first_id: change.firstId,
          last_id: change.lastId,
          via,
          cause_id: causeId,
          user_id: userId,
          members: change.members ? await packJson(change.members) : null,
          details: detailsOf(change)
        }))
      )
    )
    .executeTakeFirstOrThrow()
  return Number(insertId)
}

function detailsOf({ members, details }: Change): string | null {
  if (members) return JSON.stringify({ members: members.ids.length })
  return details ? JSON.stringify(details) : null
}

/** Entries that are looked at by one step. */
const trimmedAtOnce = 2000

/**
 * Removes some of the entries from before a time (UNIX milliseconds). The newest entry stays, so that ids are never reused.
 * @returns whether there may be more
 */
const trimChangeLog = inBackground<{ before: number }, boolean>(async ({ db }, { before }) => {
  const oldest = db.selectFrom('change_log').select(['id', 'at']).orderBy('id').limit(trimmedAtOnce)
  const { numDeletedRows } = await db
    .deleteFrom('change_log')
    .where('id', 'in', (select) =>
      select.selectFrom(oldest.as('oldest')).select('id').where('at', '<', before)
    )
    .where('id', '<', (select) =>
      select.selectFrom('change_log').select((each) => each.fn.max('id').as('newest'))
    )
    .executeTakeFirst()
  return numDeletedRows === BigInt(trimmedAtOnce)
})

export const changeLogCommands = { trim: trimChangeLog }

declare module './command.ts' {
  interface CommandRegistry {
    changeLog: typeof changeLogCommands
  }
}
