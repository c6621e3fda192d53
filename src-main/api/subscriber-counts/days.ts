import type { Kysely } from 'kysely'
import { dayIn, shiftedDay } from '../../base/dates.ts'
import type { CommandContext } from '../../database/command.ts'
import type { Schema } from '../../database/schema.ts'
import { countsPerList, sumOfCounts, zeroCounts } from './queries.ts'
import type { StatusCounts } from './schema.ts'
import { subscriberStatuses } from '../subscribers/schema.ts'
import { compiledQuery } from '../../database/compiled-query.ts'
import { remembered } from '../../database/remembered.ts'

const shownDays = 90

/** The counts of an organization at the end of a day; today's are current. */
export interface SubscriberDay {
  /** YYYY-MM-DD in the organization's zone. */
  day: string
  counts: StatusCounts
}

/** The growth of a list's active subscribers in the last days. */
export interface ListGrowth {
  mailing_list_id: number
  last_7_days: number
  last_30_days: number
}

export interface Growth {
  days: SubscriberDay[]
  lists: ListGrowth[]
}

const timeZoneOfList = compiledQuery<{ mailingListId: number }, { time_zone_name: string }>((db, value) =>
  db
    .selectFrom('mailing_lists')
    .innerJoin('organizations', 'organizations.id', 'organization_id')
    .select('time_zone_name')
    .where('mailing_lists.id', '=', value('mailingListId'))
    .where('mailing_lists.deleted_at', 'is', null)
)

const dayOfList = compiledQuery<{ mailingListId: number; day: string }, { day: string }>((db, value) =>
  db
    .selectFrom('subscriber_days')
    .select('day')
    .where('mailing_list_id', '=', value('mailingListId'))
    .where('day', '=', value('day'))
)

/**
 * Stores a list's counts before the first change of a day, from which the counts at the end of each earlier
 * day follow.
 */
export async function recordDay(context: CommandContext, mailingListId: number): Promise<void> {
  const [list] = await remembered(context.db, `zone of list ${mailingListId}`, () =>
    timeZoneOfList(context.db, { mailingListId })
  )
  if (!list) return
  const day = dayIn(context.clock, list.time_zone_name)
  const [isNoted] = await dayOfList(context.db, { mailingListId, day })
  if (isNoted) return
  // Rows of days that are still to come, left by a clock or time zone that was ahead.
  await context.db
    .deleteFrom('subscriber_days')
    .where('mailing_list_id', '=', mailingListId)
    .where('day', '>', day)
    .execute()
  const rows = await context.db
    .selectFrom('mailing_list_counts')
    .select(['status', 'subscribers'])
    .where('mailing_list_id', '=', mailingListId)
    .execute()
  const counts = zeroCounts()
  for (const { status, subscribers } of rows) counts[status] = subscribers
  await context.db
    .insertInto('subscriber_days')
    .values({ mailing_list_id: mailingListId, day, ...counts })
    .execute()
}

/**
 * Returns the growth of an organization's current lists.
 * @param now UNIX milliseconds
 * @returns the known days, at most 90, today last; and each list's growth in the last 7 and 30 days, or since
 * its first known day if that is later
 */
export async function subscriberGrowth(
  db: Kysely<Schema>,
  organization: { id: number; timeZone: string },
  now: number
): Promise<Growth> {
  const today = dayIn(now, organization.timeZone)
  const noted = await db
    .selectFrom('subscriber_days')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_id')
    .select(['mailing_list_id', 'day', ...subscriberStatuses])
    .where('organization_id', '=', organization.id)
    .where('deleted_at', 'is', null)
    .where('day', '>', shiftedDay(today, -shownDays))
    // A clock that was ahead may have left rows of days that are still to come.
    .where('day', '<=', today)
    .orderBy('day', 'desc')
    .execute()
  const present = await countsPerList(db, organization.id)
  const firstNoted = await firstDay(db, organization.id)
  const firstKnown = firstNoted !== null && firstNoted <= today ? shiftedDay(firstNoted, -1) : today
  // The counts of each list at the end of a day. The loop goes back in time: the row of a day tells the
  // counts until the day before.
  const held = new Map(present)
  const activeBefore = new Map<number, Map<number, number>>()
  const days: SubscriberDay[] = []
  for (let back = 0, next = 0; back < shownDays; back++) {
    const day = shiftedDay(today, -back)
    for (let note = noted[next]; note && note.day > day; note = noted[++next]) {
      held.set(note.mailing_list_id, note)
    }
    if (back === 7 || back === 30) {
      activeBefore.set(back, new Map([...held].map(([id, { active }]) => [id, active])))
    }
    if (day >= firstKnown) days.unshift({ day, counts: sumOfCounts(held.values()) })
  }
  const grownSince = (id: number, back: number): number =>
    (present.get(id)?.active ?? 0) - (activeBefore.get(back)?.get(id) ?? 0)
  return {
    days,
    lists: [...present.keys()].map((id) => ({
      mailing_list_id: id,
      last_7_days: grownSince(id, 7),
      last_30_days: grownSince(id, 30)
    }))
  }
}

/** Returns the first recorded day of any list of an organization. */
async function firstDay(db: Kysely<Schema>, organizationId: number): Promise<string | null> {
  const row = await db
    .selectFrom('mailing_lists')
    .select((list) =>
      list.fn
        .min(
          list
            .selectFrom('subscriber_days')
            .select((note) => note.fn.min('day').as('first'))
            .whereRef('subscriber_days.mailing_list_id', '=', 'mailing_lists.id')
        )
        .as('day')
    )
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return row.day
}
