import type { BulkActionRow } from '../../api/bulk-actions/queries.ts'
import type { CommandContext } from '../../database/command.ts'
import { Removal, type Removed } from '../removal.ts'
import { subscribersWithIds } from '../subscribers.ts'
import type { BulkWork } from '../work.ts'

/** Deletes subscribers. Each note holds all of one, so that it can be put back. */
export function deleting(context: CommandContext, action: BulkActionRow): BulkWork {
  const removal = new Removal(context, action)
  return {
    async apply(ids) {
      const rows = await subscribersWithIds(context, action.mailing_list_id, ids)
      return { notes: await removal.remove(rows), same: 0, kept: [] }
    },
    takeBack: (notes) => removal.putBack(notes as unknown as Removed[]),
    finish: () => removal.finish()
  }
}
