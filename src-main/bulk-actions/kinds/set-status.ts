import type { BulkActionRow } from '../../api/bulk-actions/queries.ts'
import { type BulkActionSettings, declinedStatuses } from '../../api/bulk-actions/rules.ts'
import { SubscriberTally } from '../../api/subscriber-counts/tally.ts'
import { recordSubscribers, type StatusChange } from '../../api/subscribers/record-changes.ts'
import type { SubscriberStatus } from '../../api/subscribers/schema.ts'
import type { CommandContext } from '../../database/command.ts'
import { subscribersWithIds, untouchedSince } from '../subscribers.ts'
import { type BulkWork, type Kept, notesOf } from '../work.ts'

/** A subscriber's id, its status and its updated_at before the change. */
type StatusNote = [id: number, status: SubscriberStatus, updatedAt: number]

/**
 * Sets the status of subscribers. Unsubscribed and complained ones become active only if the request says so.
 */
export function settingStatus(
  context: CommandContext,
  action: BulkActionRow,
  { status, revives }: Extract<BulkActionSettings, { kind: 'set_status' }>
): BulkWork<StatusNote> {
  const listId = action.mailing_list_id
  const tally = new SubscriberTally(listId)
  const restore = context.sqlite.prepare<[string, number, number]>(
    'UPDATE subscribers SET status = ?, updated_at = ? WHERE id = ?'
  )

  return {
    async apply(ids) {
      const notes: StatusNote[] = []
      const kept: Kept[] = []
      let same = 0
      for (const row of await subscribersWithIds(context, listId, ids)) {
        if (row.status === status) same++
        else if (status === 'active' && !revives && declinedStatuses.includes(row.status)) {
          kept.push({ id: row.id, email: row.email, reason: 'declined' })
        } else {
          notes.push([row.id, row.status, row.updated_at])
          tally.moved(row.status, status)
        }
      }
      const changed = notes.map(([id]) => id)
      if (changed.length > 0) {
        await context.db
          .updateTable('subscribers')
          .set({ status, updated_at: context.now })
          .where('id', 'in', changed)
          .execute()
      }
      const statuses = new Map(notes.map(([id, before]): [number, StatusChange] => [id, [before, status]]))
      recordSubscribers(context, action, 'update', changed, statuses)
      return { notes, same, kept }
    },

    async takeBack(notes, writtenAt) {
      const former = new Map(notes.map((note) => [note[0], note]))
      const statuses = new Map<number, StatusChange>()
      const { rows, kept } = await untouchedSince(context, listId, [...former.keys()], writtenAt)
      for (const row of rows) {
        const [, before, updatedAt] = former.get(row.id) ?? [row.id, row.status, row.updated_at]
        restore.run(before, updatedAt, row.id)
        tally.moved(row.status, before)
        statuses.set(row.id, [row.status, before])
      }
      recordSubscribers(
        context,
        action,
        'update',
        rows.map(({ id }) => id),
        statuses
      )
      return { restored: rows.length, kept, left: notesOf(notes, kept) }
    },

    finish: () => tally.save(context)
  }
}
