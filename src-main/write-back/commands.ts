import { Faults } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { remoteListById } from '../api/remote-lists/queries.ts'
import { markRemovalsUnwritten, tryTableAnew } from '../api/remote-lists/removals.ts'
import { storeRefusal } from '../base/stored-refusal.ts'
import { type Command, type CommandContext, recordOne } from '../database/command.ts'
import { recordEdit, type RecordTables } from '../database/record-rows.ts'
import type { JobEnd } from '../jobs/outcome.ts'
import { findWriteBack, isCurrentPlace, type WriteBackPlace, type WriteBackRow } from './queries.ts'
import { defaultTableName } from './removals-table.ts'
import type { WriteBackChanges } from './schema.ts'

const tables: RecordTables = { entity: 'write_back', table: 'write_backs', parts: [] }

interface Update {
  organizationId: number
  mailingListId: number
  changes: WriteBackChanges
}

/**
 * Changes how a list writes back; if it does, the table is tried at once, and what waits is written.
 * @throws ApiError invalid_request for a list with subscribers
 */
const updateWriteBack: Command<Update, void> = async (
  context,
  { organizationId, mailingListId, changes }
) => {
  await remoteListById(context.db, organizationId, mailingListId)
  const owner = { organizationId, mailingListId }
  const before = await findWriteBack(context.db, mailingListId)
  const faults = new Faults()
  const table_name = changes.table_name?.trim() ?? before?.table_name ?? defaultTableName
  if (table_name.includes('\0') || !/^[^\s."`;]+(\.[^\s."`;]+)?$/.test(table_name))
    faults.add(refusal('table_name', { field: 'table_name' }))
  faults.throwIfAny()
  const is_enabled = Number(changes.is_enabled ?? before?.is_enabled === 1)
  const columns = { is_enabled, table_name, updated_at: context.now }
  if (before) {
    const hasNewTable = table_name !== before.table_name
    await (hasNewTable ? markRemovalsUnwritten : tryTableAnew)(context, [mailingListId])
    await recordEdit(context, tables, owner, before.id, () =>
      context.db.updateTable('write_backs').set(columns).where('id', '=', before.id).execute()
    )
    return
  }
  const { id } = await context.db
    .insertInto('write_backs')
    .values({ ...columns, mailing_list_id: mailingListId })
    .returning('id')
    .executeTakeFirstOrThrow()
  recordOne(context, 'write_back', 'create', owner, id)
}

/**
 * Stores that removals are in the other database; without any, that its table would take them.
 * @returns false if write-back was switched off or deleted, or goes to another place by now, where the removals are yet to be written
 */
const recordWritten: Command<{ id: number; place: WriteBackPlace; removalIds: number[] }, boolean> = async (
  context,
  { id, place, removalIds }
) => {
  if (!(await isCurrentPlace(context.db, id, place))) return false
  await context.db
    .updateTable('remote_removals')
    .set({ written_at: context.now })
    .where('id', 'in', removalIds)
    .execute()
  const row = await context.db
    .updateTable('write_backs')
    .set({
      ...{ checked_at: context.now, failures: 0, fault: null, next_at: 0 },
      ...(removalIds.length > 0 && { written_at: context.now })
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (row) await announce(context, row)
  return row?.is_enabled === 1
}

/** Stores how writing back ended. @param pauses milliseconds until it is tried again after a fault; the last one repeats */
const endWriteBack: Command<
  { id: number; end: JobEnd; pauses: readonly [number, ...number[]] },
  void
> = async (context, { id, end, pauses }) => {
  const row = await context.db.selectFrom('write_backs').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row || end.is === 'finished') return
  const pause = pauses[Math.min(row.failures, pauses.length - 1)] ?? pauses[0]
  await context.db
    .updateTable('write_backs')
    .set({
      ...{ fault: storeRefusal(end.fault), failures: row.failures + 1 },
      ...{ next_at: context.clock + pause, checked_at: null }
    })
    .where('id', '=', id)
    .execute()
  await announce(context, row)
}

async function announce(context: CommandContext, { id, mailing_list_id }: WriteBackRow): Promise<void> {
  const { organization_id } = await context.db
    .selectFrom('mailing_lists')
    .select('organization_id')
    .where('id', '=', mailing_list_id)
    .executeTakeFirstOrThrow()
  context.record({
    ...{ entity: 'write_back', action: 'update', isUnlogged: true },
    ...{ organizationId: organization_id, mailingListId: mailing_list_id, firstId: id, lastId: id }
  })
}

export const writeBackCommands = { update: updateWriteBack, recordWritten, end: endWriteBack }

declare module '../database/command.ts' {
  interface CommandRegistry {
    writeBacks: typeof writeBackCommands
  }
}
