import type { BulkActionRow } from '../../api/bulk-actions/queries.ts'
import { suppressionListById } from '../../api/suppression-lists/queries.ts'
import { suppressedRowOf } from '../../api/suppression-lists/rules.ts'
import { type CommandContext, recordRow } from '../../database/command.ts'
import { subscribersWithIds } from '../subscribers.ts'
import type { BulkWork } from '../work.ts'

type AddressNote = [addressId: number]

/**
 * Puts the addresses of subscribers on a suppression list.
 * @throws ApiError not_found when that was deleted
 */
export async function suppressing(
  context: CommandContext,
  action: BulkActionRow
): Promise<BulkWork<AddressNote>> {
  const { organization_id, mailing_list_id, user_id, target_id } = action
  const { db } = context
  const list = await suppressionListById(db, organization_id, target_id ?? 0)
  let added = 0
  return {
    async apply(ids) {
      const rows = await subscribersWithIds(context, mailing_list_id, ids)
      const addresses = rows.flatMap(({ email }) => suppressedRowOf(email) ?? [])
      if (addresses.length === 0) return { notes: [], same: rows.length, kept: [] }
      const inserted = await db
        .insertInto('suppressed_addresses')
        .values(addresses.map((address) => ({ ...address, suppression_list_id: list.id, user_id })))
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .execute()
      added += inserted.length
      const notes = inserted.map(({ id }): AddressNote => [id])
      return { notes, same: rows.length - notes.length, kept: [] }
    },

    async takeBack(notes) {
      const { numDeletedRows } = await db
        .deleteFrom('suppressed_addresses')
        .where(
          'id',
          'in',
          notes.map(([id]) => id)
        )
        .where('suppression_list_id', '=', list.id)
        .executeTakeFirst()
      added -= Number(numDeletedRows)
      return { restored: Number(numDeletedRows), kept: [], left: [] }
    },

    async finish() {
      if (added === 0) return
      await db
        .updateTable('suppression_lists')
        .set((set) => ({ addresses: set('addresses', '+', added), updated_at: context.now }))
        .where('id', '=', list.id)
        .execute()
      recordRow(context, 'suppression_list', 'update', list)
    }
  }
}
