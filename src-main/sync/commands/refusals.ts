import { storeRefusal } from '../../base/stored-refusal.ts'
import type { Command } from '../../database/command.ts'
import { remoteById } from '../queries.ts'
import type { NotedRefusal } from '../run-context.ts'
import type { LinkedKind, Side } from '../schema.ts'
import { type RemoteInput, requestRun } from './remotes.ts'

const recordRefusals: Command<{ remoteId: number; refusals: NotedRefusal[] }, void> = async (
  { db, now },
  { remoteId, refusals }
) => {
  for (const { side, kind, mailingListId, recordId, name, fault, version } of refusals) {
    const values = { mailing_list_id: mailingListId, name, message: storeRefusal(fault), version, at: now }
    await db
      .insertInto('sync_refusals')
      .values({ remote_id: remoteId, side, kind, record_id: recordId, ...values })
      .onConflict((conflict) =>
        conflict.columns(['remote_id', 'side', 'kind', 'record_id']).doUpdateSet(values)
      )
      .execute()
  }
}

const deleteRefusals: Command<
  { remoteId: number; side: Side; kind: LinkedKind; recordIds: number[] },
  void
> = async ({ db }, { remoteId, side, kind, recordIds }) => {
  await db
    .deleteFrom('sync_refusals')
    .where('remote_id', '=', remoteId)
    .where('side', '=', side)
    .where('kind', '=', kind)
    .where('record_id', 'in', recordIds)
    .execute()
}

const retryRefusals: Command<RemoteInput, void> = async (context, { organizationId, id }) => {
  const row = await remoteById(context.db, organizationId, id)
  await context.db.updateTable('sync_refusals').set({ version: '' }).where('remote_id', '=', row.id).execute()
  await requestRun(context, { organizationId, id })
}

export const refusalCommands = {
  noteRefusals: recordRefusals,
  deleteRefusals,
  retryRefusals
}
