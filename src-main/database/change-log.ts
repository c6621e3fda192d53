import type { Insertable, Kysely } from 'kysely'
import { ApiError } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { packJson, unpackJson } from '../base/packed-json.ts'
import { type Change, type ChangedMembers, type CommandContext, inBackground } from './command.ts'
import { compiledQuery } from './compiled-query.ts'
import type { ChangeLogTable, Schema } from './schema.ts'

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
  const entries = await Promise.all(
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
  const [entry] = entries
  if (entry && entries.length === 1) {
    const [inserted] = await insertEntry(context.db, entry)
    if (!inserted) throw new Error('the change log has not stored an entry')
    return inserted.id
  }
  const { insertId } = await context.db.insertInto('change_log').values(entries).executeTakeFirstOrThrow()
  return Number(insertId)
}

const insertEntry = compiledQuery<Omit<Insertable<ChangeLogTable>, 'id'>, { id: number }>((db, value) =>
  db
    .insertInto('change_log')
    .values({
      at: value('at'),
      entity: value('entity'),
      action: value('action'),
      organization_id: value('organization_id'),
      mailing_list_id: value('mailing_list_id'),
      first_id: value('first_id'),
      last_id: value('last_id'),
      via: value('via'),
      cause_id: value('cause_id'),
      user_id: value('user_id'),
      members: value('members'),
      details: value('details')
    })
    .returning('id')
)

const maxCompared = 20_000

const changedMeanwhile = (): ApiError => new ApiError('conflict', refusal('changed_by_others'))

/** The last entry of the change log; 0 while there is none. */
export async function newestEntry(db: Kysely<Schema>): Promise<number> {
  const newest = await db
    .selectFrom('change_log')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return newest?.id ?? 0
}

/**
 * Refuses to change a record that was changed since the caller read it.
 * @param since the last entry of the change log at that time
 * @throws ApiError conflict
 */
export async function requireUnchanged(
  { db }: CommandContext,
  changes: readonly Change[],
  since: number
): Promise<void> {
  if ((await newestEntry(db)) - since > maxCompared) throw changedMeanwhile()
  for (const { entity, organizationId, firstId, lastId } of changes) {
    const later = await db
      .selectFrom('change_log')
      .select('members')
      .where('id', '>', since)
      .where('entity', '=', entity)
      .where('organization_id', '=', organizationId)
      .where('first_id', '<=', lastId)
      .where('last_id', '>=', firstId)
      .execute()
    for (const { members } of later) {
      if (members === null || (await hasMemberWithin(members, firstId, lastId))) {
        throw changedMeanwhile()
      }
    }
  }
}

async function hasMemberWithin(packed: Buffer, firstId: number, lastId: number): Promise<boolean> {
  const { ids } = (await unpackJson(packed)) as ChangedMembers
  return ids.some((id) => firstId <= id && id <= lastId)
}

function detailsOf({ members, details }: Change): string | null {
  if (members) return JSON.stringify({ members: members.ids.length })
  return details ? JSON.stringify(details) : null
}

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
