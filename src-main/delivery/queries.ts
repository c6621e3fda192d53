import { type Kysely, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { dueTime } from '../jobs/due.ts'
import type { Job } from '../jobs/job-runner.ts'
import { membersOf } from '../api/segments/queries.ts'
import type { SettledCondition } from '../api/segments/settled.ts'
import { delayMs } from '../api/campaigns/rules.ts'

export interface DeliveryJob extends Job {
  /** True if the next step of the campaign is to choose the winner of its split test. */
  isDecision: boolean
}

/**
 * Returns the scheduled and sending campaigns that are not paused, with the time at which their next step is
 * due (UNIX milliseconds), ordered by start time.
 */
export async function deliveriesToDo(db: Kysely<Schema>, now: number): Promise<DeliveryJob[]> {
  const rows = await db
    .selectFrom('dispatches')
    .innerJoin('campaigns', 'campaigns.id', 'dispatches.campaign_id')
    .leftJoin('deliveries', 'deliveries.campaign_id', 'dispatches.campaign_id')
    .select([
      'dispatches.campaign_id as id',
      'begins_at',
      'begins_at_once',
      'state',
      'phase',
      'decides_at',
      'autowinner_delay_amount',
      'autowinner_delay_unit'
    ])
    .where('state', 'in', ['scheduled', 'sending'])
    .where('paused', '=', 0)
    .orderBy('begins_at')
    .orderBy('id')
    .execute()
  return rows.map(({ id, begins_at, begins_at_once, state, phase, decides_at, ...delay }) => {
    if (phase === 'decision_delay') {
      const decidesAt = decides_at ?? 0
      // If the clock was set back to before the delay began, the delay starts again.
      return { id, isDecision: true, dueAt: now < decidesAt - delayMs(delay) ? 0 : decidesAt }
    }
    const dueAt = state === 'sending' ? 0 : dueTime({ begins_at: begins_at ?? 0, begins_at_once })
    return { id, isDecision: false, dueAt }
  })
}

/** Active subscribers who are in the segment of a campaign, by id. May look at all of the list: for its thread. */
export function recipientsAfter(
  db: Kysely<Schema>,
  { mailingListId, clause, lastId }: { mailingListId: number; clause: SettledCondition[]; lastId: number },
  afterId: number,
  limit: number
) {
  return membersOf(db, mailingListId, clause)
    .select([
      'subscribers.id',
      'subscribers.email',
      'subscribers.subscribe_time',
      'subscribers.subscribe_ip',
      'subscribers.email_format',
      'subscribers.custom_fields'
    ])
    .where('subscribers.id', '>', afterId)
    .where('subscribers.id', '<=', lastId)
    .where('subscribers.status', '=', sql.lit('active'))
    .orderBy('subscribers.id')
    .limit(limit)
    .execute()
}

/** Returns the campaigns that were deleted before a time (UNIX milliseconds), alone or with their list. */
export async function campaignsDeletedBefore(
  db: Kysely<Schema>,
  ids: readonly number[],
  time: number
): Promise<number[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('campaigns')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'campaigns.mailing_list_id')
    .select('campaigns.id')
    .where('campaigns.id', 'in', ids)
    .where((where) =>
      where.or([where('campaigns.deleted_at', '<', time), where('mailing_lists.deleted_at', '<', time)])
    )
    .execute()
  return rows.map(({ id }) => id)
}
