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
/** Messages of a day are counted up to so many: more would hold up other calls. */
const mostCounted = 50_000

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
      const due = db
        .selectFrom('autoresponder_reactions')
        .select('id')
        .where('autoresponder_id', '=', autoresponder_id)
        .where('is_held', '=', sql.lit(0))
        .where('due_at', '>=', from)
        .where('due_at', '<', before)
        .limit(mostCounted)
      const { messages } = await db
        .selectFrom(due.as('due'))
        .select((select) => select.fn.countAll<number>().as('messages'))
        .executeTakeFirstOrThrow()
      if (messages > 0) days.push({ day, autoresponder_id, messages })
    }
    await nextTurn()
  }
  const end = startOf(shiftedDay(today, daysAhead))
  const next = (await Promise.all(ids.map((id) => nextRecipients(db, id, end)))).flat()
  return {
    days,
    next: next
      .sort((a, b) => a.due_at - b.due_at)
      .slice(0, named)
      .map(({ due_at, ...each }) => ({ ...each, due_at: formatTime(due_at, timeZone) }))
  }
}

/** One autoresponder at a time: only then the index gives them in their order. */
function nextRecipients(db: Kysely<Schema>, autoresponderId: number, before: number) {
  return db
    .selectFrom('autoresponder_reactions')
    .innerJoin('subscribers', 'subscribers.id', 'subscriber_id')
    .select(['email', 'subscriber_id', 'autoresponder_id', 'due_at'])
    .where('autoresponder_id', '=', autoresponderId)
    .where('is_held', '=', sql.lit(0))
    .where('due_at', '<', before)
    .orderBy('due_at')
    .limit(named)
    .execute()
}
