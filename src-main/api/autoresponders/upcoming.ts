import { type Kysely, sql } from 'kysely'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { dayIn, shiftedDay } from '../../base/dates.ts'
import { formatTime, instantOf } from '../../base/times.ts'
import type { Schema } from '../../database/schema.ts'
import { autorespondersOf } from './queries.ts'
import type { Upcoming } from './schema.ts'

const daysAhead = 30
/** Recipients who are named. */
const named = 100

/** Returns which messages of a list's queue are due in the next 30 days of a zone. @param now UNIX milliseconds */
export async function upcomingMessages(
  db: Kysely<Schema>,
  mailingListId: number,
  now: number,
  timeZone: string
): Promise<Upcoming> {
  const ids = (await autorespondersOf(db, mailingListId)).map(({ id }) => id)
  const today = dayIn(now, timeZone)
  const startOf = (day: string): number => {
    const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
    return instantOf({ year, month, day: date }, timeZone)
  }
  const days: Upcoming['days'] = []
  for (let ahead = 0; ahead < daysAhead; ahead++) {
    const day = shiftedDay(today, ahead)
    // What is overdue, such as of a paused autoresponder, belongs to today.
    const [from, before] = [ahead === 0 ? 0 : startOf(day), startOf(shiftedDay(today, ahead + 1))]
    for (const autoresponder_id of ids) {
      const { messages } = await db
        .selectFrom('autoresponder_reactions')
        .select((select) => select.fn.countAll<number>().as('messages'))
        .where('autoresponder_id', '=', autoresponder_id)
        .where('is_held', '=', sql.lit(0))
        .where('due_at', '>=', from)
        .where('due_at', '<', before)
        .executeTakeFirstOrThrow()
      if (messages > 0) days.push({ day, autoresponder_id, messages })
    }
    await nextTurn()
  }
  const end = startOf(shiftedDay(today, daysAhead))
  const next = ids.length === 0 ? [] : await nextRecipients(db, ids, end)
  return {
    days,
    next: next.map(({ due_at, ...each }) => ({ ...each, due_at: formatTime(due_at, timeZone) }))
  }
}

function nextRecipients(db: Kysely<Schema>, autoresponderIds: number[], before: number) {
  return db
    .selectFrom('autoresponder_reactions')
    .innerJoin('subscribers', 'subscribers.id', 'subscriber_id')
    .select(['email', 'subscriber_id', 'autoresponder_id', 'due_at'])
    .where('autoresponder_id', 'in', autoresponderIds)
    .where('is_held', '=', sql.lit(0))
    .where('due_at', '<', before)
    .orderBy('due_at')
    .limit(named)
    .execute()
}
