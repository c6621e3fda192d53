import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import { membersOf } from '../segments/queries.ts'
import type { SegmentCondition } from '../segments/schema.ts'
import { delayMs } from './rules.ts'

/** Something to do for a campaign, at a time in UNIX milliseconds. */
export interface DeliveryToDo {
  id: number
  at: number
  /** Whether the winner of its split test is to be chosen then. */
  isDecision: boolean
  /** When the delay of a decision began; null for anything else. */
  delayBegan: number | null
}

/** The campaigns that are to be sent or being sent, and not paused; those that began to wait first come first. */
export async function deliveriesToDo(db: Kysely<Schema>): Promise<DeliveryToDo[]> {
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
      const at = decides_at ?? 0
      return { id, at, isDecision: true, delayBegan: at - delayMs(delay) }
    }
    // What was to begin at once is due whatever the clock says since.
    const isAtOnce = state !== 'scheduled' || begins_at_once === 1
    return { id, at: isAtOnce ? 0 : (begins_at ?? 0), isDecision: false, delayBegan: null }
  })
}

/** Active subscribers who are in the segment of a campaign, by id. May look at all of the list: for its thread. */
export function recipientsAfter(
  db: Kysely<Schema>,
  { mailingListId, clause, lastId }: { mailingListId: number; clause: SegmentCondition[]; lastId: number },
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

/** How far the delivery of a campaign is; undefined before it began. */
export function deliveryOf(db: Kysely<Schema>, campaignId: number) {
  return db.selectFrom('deliveries').selectAll().where('campaign_id', '=', campaignId).executeTakeFirst()
}

/** How many campaigns that have begun are for, by campaign id. */
export async function recipientsOf(
  db: Kysely<Schema>,
  campaignIds: number[]
): Promise<Map<number, number | null>> {
  const rows = await db
    .selectFrom('deliveries')
    .select(['campaign_id', 'recipients'])
    .where('campaign_id', 'in', campaignIds)
    .execute()
  return new Map(rows.map(({ campaign_id, recipients }) => [campaign_id, recipients]))
}
