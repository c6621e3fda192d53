import type { Command } from '../../database/command.ts'
import type { LinkedKind } from '../schema.ts'

interface LinkInput {
  remoteId: number
  kind: LinkedKind
  mailingListId: number | null
  localId: number
  /** null while the record is being created on the remote. */
  theirId: number | null
  agreed: string | null
}

const linkRecord: Command<LinkInput, void> = async ({ db }, input) => {
  const values = { their_id: input.theirId, agreed: input.agreed, mailing_list_id: input.mailingListId }
  await db
    .insertInto('sync_links')
    .values({
      remote_id: input.remoteId,
      kind: input.kind,
      local_id: input.localId,
      their_state: null,
      ...values
    })
    .onConflict((conflict) => conflict.columns(['remote_id', 'kind', 'local_id']).doUpdateSet(values))
    .execute()
}

const unlinkRecord: Command<Pick<LinkInput, 'remoteId' | 'kind' | 'localId'>, void> = async (
  { db },
  input
) => {
  await db
    .deleteFrom('sync_links')
    .where('remote_id', '=', input.remoteId)
    .where('kind', '=', input.kind)
    .where('local_id', '=', input.localId)
    .execute()
}

const recordTheirState: Command<
  Pick<LinkInput, 'remoteId' | 'kind' | 'localId'> & { state: string },
  void
> = async ({ db }, { remoteId, kind, localId, state }) => {
  await db
    .updateTable('sync_links')
    .set({ their_state: state })
    .where('remote_id', '=', remoteId)
    .where('kind', '=', kind)
    .where('local_id', '=', localId)
    .execute()
}

export const linkCommands = {
  link: linkRecord,
  unlink: unlinkRecord,
  noteTheirState: recordTheirState
}
