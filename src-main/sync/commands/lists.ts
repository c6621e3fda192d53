import type { Command } from '../../database/command.ts'

const openList: Command<{ remoteId: number; mailingListId: number }, number> = async ({ db }, input) => {
  const own = { remote_id: input.remoteId, mailing_list_id: input.mailingListId }
  await db
    .insertInto('sync_lists')
    .values({ ...own, change_log_id: null, fields: null, scan: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { id } = await db
    .selectFrom('sync_lists')
    .select('id')
    .where('remote_id', '=', own.remote_id)
    .where('mailing_list_id', '=', own.mailing_list_id)
    .executeTakeFirstOrThrow()
  return id
}

interface ListProgress {
  syncListId: number
  /** Absent if it does not change. */
  changeLogId?: number | null
  fields?: string
  scan?: string | null
}

const recordListProgress: Command<ListProgress, void> = async (
  { db },
  { syncListId, changeLogId, fields, scan }
) => {
  await db
    .updateTable('sync_lists')
    .set({
      ...(changeLogId !== undefined && { change_log_id: changeLogId }),
      ...(fields !== undefined && { fields }),
      ...(scan !== undefined && { scan })
    })
    .where('id', '=', syncListId)
    .execute()
}

/** Deletes everything that is known of a list and its records, as if it had never been mirrored. */
export const deleteAgreedList: Command<{ remoteId: number; mailingListId: number }, void> = async (
  { db },
  { remoteId, mailingListId }
) => {
  await db
    .deleteFrom('sync_links')
    .where('remote_id', '=', remoteId)
    .where((where) =>
      where.or([
        where('mailing_list_id', '=', mailingListId),
        where.and([where('kind', '=', 'mailing_list'), where('local_id', '=', mailingListId)])
      ])
    )
    .execute()
  await db
    .deleteFrom('sync_lists')
    .where('remote_id', '=', remoteId)
    .where('mailing_list_id', '=', mailingListId)
    .execute()
}

export const listCommands = {
  openList,
  noteList: recordListProgress,
  deleteAgreedList
}
