import type { BulkActionRow } from '../../api/bulk-actions/queries.ts'
import type { CommandContext } from '../../database/command.ts'
import type { RemovedSubscriber } from '../../api/subscribers/history.ts'
import { idOfRemoved, Removal } from '../removal.ts'
import { subscribersWithIds } from '../subscribers.ts'
import { type BulkWork, notesOf } from '../work.ts'

/** Deletes subscribers. Each note holds all of one, so that it can be put back. */
export async function deleting(
  context: CommandContext,
  action: BulkActionRow
): Promise<BulkWork<RemovedSubscriber>> {
  const removal = await Removal.of(context, action)
  return {
    async apply(ids) {
      const rows = await subscribersWithIds(context, action.mailing_list_id, ids)
      return { notes: await removal.remove(rows), same: 0, kept: [] }
    },
    async takeBack(notes) {
      const { restored, kept } = await removal.putBack(notes)
      return { restored, kept, left: notesOf(notes, kept, idOfRemoved) }
    },
    finish: () => removal.finish()
  }
}
