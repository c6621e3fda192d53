import { recordAbsent } from '../../api/bulk-actions/absent-commands.ts'
import type { BulkActionRow } from '../../api/bulk-actions/queries.ts'
import { SubscriberTally } from '../../api/subscriber-counts/tally.ts'
import type { SubscriberRow } from '../../api/subscribers/queries.ts'
import { recordSubscribers } from '../../api/subscribers/record-changes.ts'
import type { CommandContext } from '../../database/command.ts'
import { subscribersByIds } from '../../segments/chosen.ts'
import { fitterTo } from '../fit.ts'
import { type Reaction, Reactions } from '../../api/autoresponders/waiting-reactions.ts'
import type { RemovedSubscriber } from '../../api/subscribers/history.ts'
import { idOfRemoved, Removal } from '../removal.ts'
import { overwriterOf, subscribersWithIds } from '../subscribers.ts'
import { type BulkWork, type Kept, notesOf } from '../work.ts'

/**
 * Moves subscribers with their values to another list. They keep their ids, so links in earlier messages
 * still work. Subscribers that the list already has are skipped.
 */
export async function moving(
  context: CommandContext,
  action: BulkActionRow
): Promise<BulkWork<RemovedSubscriber>> {
  const { organization_id, mailing_list_id } = action
  const targetId = action.target_id ?? 0
  const source = { organization_id, mailing_list_id }
  const place = { organization_id, mailing_list_id: targetId }
  const tallies = { source: new SubscriberTally(mailing_list_id), target: new SubscriberTally(targetId) }
  const reactions = new Reactions(context)
  const removal = await Removal.of(context, action)
  const overwrite = overwriterOf(context)

  return {
    /** @throws ApiError not_found when the other list was deleted */
    async apply(ids) {
      const fit = await fitterTo(context, action)
      const kept: Kept[] = []
      const moved: SubscriberRow[] = []
      for (const row of await subscribersWithIds(context, mailing_list_id, ids)) {
        const { id, email, status } = row
        const fitted = fit(row)
        if (typeof fitted === 'string') kept.push({ id, email, reason: 'does_not_fit', detail: fitted })
        else if (!overwrite({ ...fitted, id, updated_at: context.now })) {
          kept.push({ id, email, reason: 'there_already' })
        } else {
          moved.push(row)
          tallies.source.removed(id, status)
          tallies.target.added(id, status)
        }
      }
      const movedIds = moved.map(({ id }) => id)
      const waiting = await reactions.take(movedIds)
      recordSubscribers(context, source, 'delete', movedIds)
      recordSubscribers(context, place, 'create', movedIds)
      return { notes: moved.map((row): RemovedSubscriber => [row, waiting.get(row.id) ?? []]), same: 0, kept }
    },

    async takeBack(notes, writtenAt) {
      const found = await subscribersByIds(
        context.db,
        notes.map(([{ id }]) => id)
      )
      const current = new Map(found.map((row) => [row.id, row]))
      const onTarget = found.filter((row) => row.mailing_list_id === targetId && row.updated_at !== writtenAt)
      for (const { id, status } of await leaveDeletedList(context, targetId, onTarget)) {
        tallies.target.removed(id, status)
        current.delete(id)
      }
      // These were deleted with the other list and are restored from the stored values.
      const missing = notes.filter(([{ id }]) => !current.has(id))
      const wentWithList = await wentWithTheirList(
        context,
        missing.map(([{ id }]) => id)
      )
      const lost = missing.filter(([{ id }]) => wentWithList.has(id))
      const back = await removal.putBack(lost)
      const kept: Kept[] = [...back.kept]
      const restored: number[] = []
      const waitingAgain: Reaction[] = []
      for (const [row, waiting] of notes) {
        const now = current.get(row.id)
        if (!now) continue
        const { id, email } = now
        const fitted = removal.asItWas(row)
        if (now.mailing_list_id !== targetId || now.updated_at !== writtenAt) {
          kept.push({ id, email, reason: 'changed' })
        } else if (!fitted) {
          kept.push({ id, email, reason: 'key_changed' })
        } else if (!overwrite(fitted)) {
          kept.push({ id, email, reason: 'key_taken' })
        } else {
          tallies.target.removed(id, now.status)
          tallies.source.added(id, row.status)
          waitingAgain.push(...waiting)
          restored.push(id)
        }
      }
      // Messages queued by the other list's autoresponders are dropped.
      await reactions.take(restored)
      await reactions.queueAgain(waitingAgain)
      recordSubscribers(context, place, 'delete', restored)
      recordSubscribers(context, source, 'create', restored)
      return {
        restored: restored.length + back.restored,
        kept,
        left: notesOf(notes, kept, idOfRemoved)
      }
    },

    async finish() {
      await tallies.source.save(context)
      await tallies.target.save(context)
      await removal.finish()
    }
  }
}

/**
 * A deleted list keeps its subscribers while it can be restored, but a moved subscriber must not stay behind
 * on it: those that the action changed leave the list as if it were deleted for good.
 * @returns the subscribers that left
 */
async function leaveDeletedList(
  context: CommandContext,
  listId: number,
  people: readonly SubscriberRow[]
): Promise<readonly SubscriberRow[]> {
  if (people.length === 0) return []
  const list = await context.db
    .selectFrom('mailing_lists')
    .select('deleted_at')
    .where('id', '=', listId)
    .executeTakeFirst()
  if (list?.deleted_at == null) return []
  await recordAbsent(context, people)
  await context.db
    .deleteFrom('subscribers')
    .where(
      'id',
      'in',
      people.map(({ id }) => id)
    )
    .execute()
  return people
}

async function wentWithTheirList({ db }: CommandContext, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('absent_subscribers')
    .select('subscriber_id')
    .where('subscriber_id', 'in', [...ids])
    .execute()
  return new Set(rows.map(({ subscriber_id }) => subscriber_id))
}
