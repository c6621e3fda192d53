import type { CommandContext } from '../../database/command.ts'
import type { SubscriberStatus } from '../subscribers/schema.ts'

/** Stores the state of subscribers who are on no list and may be restored. */
export async function recordAbsent(
  { db, now }: CommandContext,
  people: readonly { id: number; status: SubscriberStatus }[]
): Promise<void> {
  if (people.length === 0) return
  await db
    .insertInto('absent_subscribers')
    .values(people.map(({ id, status }) => ({ subscriber_id: id, status, at: now })))
    .onConflict((conflict) =>
      conflict.doUpdateSet((set) => ({ status: set.ref('excluded.status'), at: set.ref('excluded.at') }))
    )
    .execute()
}

/** Returns and deletes the stored state of subscribers who are being restored. */
export async function restoreAbsent(
  { db }: CommandContext,
  ids: readonly number[]
): Promise<Map<number, { status: SubscriberStatus; at: number }>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .deleteFrom('absent_subscribers')
    .where('subscriber_id', 'in', [...ids])
    .returningAll()
    .execute()
  return new Map(rows.map(({ subscriber_id, status, at }) => [subscriber_id, { status, at }]))
}

/** True if an action that can still be undone may have moved subscribers to the list. */
export async function holdsMoved({ db }: CommandContext, mailingListId: number): Promise<boolean> {
  const moved = await db
    .selectFrom('bulk_actions')
    .select('id')
    .where('target_id', '=', mailingListId)
    .where('settings', 'like', '{"kind":"move"%')
    .where('forgotten_at', 'is', null)
    .executeTakeFirst()
  return moved !== undefined
}
