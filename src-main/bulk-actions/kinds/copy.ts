import type { BulkActionRow } from '../../api/bulk-actions/queries.ts'
import { roomFor } from '../../api/subscriber-counts/queries.ts'
import { SubscriberTally } from '../../api/subscriber-counts/tally.ts'
import { nextSubscriberId, useSubscriberIds } from '../../api/subscribers/ids.ts'
import { recordSubscribers } from '../../api/subscribers/record-changes.ts'
import type { CommandContext } from '../../database/command.ts'
import { fitterTo } from '../fit.ts'
import { inserterOf, subscribersWithIds, untouchedSince } from '../subscribers.ts'
import { type BulkWork, type Kept, notesOf } from '../work.ts'

type CopyNote = [copyId: number]

/** Copies subscribers with their values to another list. Subscribers that it already has are skipped. */
export async function copying(context: CommandContext, action: BulkActionRow): Promise<BulkWork<CopyNote>> {
  const { organization_id, mailing_list_id } = action
  const { db, now } = context
  const targetId = action.target_id ?? 0
  const place = { organization_id, mailing_list_id: targetId }
  const tally = new SubscriberTally(targetId)
  const insert = inserterOf(context)
  const firstId = await nextSubscriberId(context)
  let nextId = firstId
  let room = await roomFor(db, organization_id)

  return {
    /** @throws ApiError not_found when the other list was deleted */
    async apply(ids) {
      const fit = await fitterTo(context, action)
      const kept: Kept[] = []
      const copies: number[] = []
      for (const row of await subscribersWithIds(context, mailing_list_id, ids)) {
        const keep = (reason: Kept['reason'], detail?: string): void => {
          kept.push({ id: row.id, email: row.email, reason, ...(detail !== undefined && { detail }) })
        }
        const fitted = fit(row)
        if (typeof fitted === 'string') keep('does_not_fit', fitted)
        else if (room <= 0) keep('limit')
        else if (!insert({ ...fitted, id: nextId, created_at: now, updated_at: now })) keep('there_already')
        else {
          tally.added(nextId, row.status)
          copies.push(nextId++)
          room--
        }
      }
      recordSubscribers(context, place, 'create', copies)
      return { notes: copies.map((id): CopyNote => [id]), same: 0, kept }
    },

    async takeBack(notes, writtenAt) {
      const ids = notes.map(([id]) => id)
      const { rows, kept } = await untouchedSince(context, targetId, ids, writtenAt)
      const removed = rows.map(({ id }) => id)
      if (rows.length > 0) await db.deleteFrom('subscribers').where('id', 'in', removed).execute()
      for (const { id, status } of rows) tally.removed(id, status)
      recordSubscribers(context, place, 'delete', removed)
      return { restored: removed.length, kept, left: notesOf(notes, kept) }
    },

    async finish() {
      if (nextId > firstId) await useSubscriberIds(context, nextId)
      await tally.save(context)
    }
  }
}
