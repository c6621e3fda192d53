import { type Kysely, sql } from 'kysely'
import type { CommandContext } from '../../database/command.ts'
import type { Schema } from '../../database/schema.ts'
import { recordReaction } from '../events/commands.ts'
import type { StatEventType } from './tables.ts'
import { beginningOfHour } from '../../base/times.ts'
import { countByOrigin } from './machines.ts'
import { counterNames, type Counters } from './schema.ts'

export async function incrementCounter(
  context: CommandContext,
  sliceId: number,
  counters: Partial<Counters>,
  timeZone: string,
  at = context.now
): Promise<void> {
  const counted = counterNames.filter((name) => counters[name])
  if (counted.length === 0) return
  await context.db
    .insertInto('stat_counters')
    .values({ ...counters, stat_slice_id: sliceId, hour: beginningOfHour(at, timeZone) })
    .onConflict((conflict) =>
      conflict
        .columns(['stat_slice_id', 'hour'])
        .doUpdateSet((update) =>
          Object.fromEntries(
            counted.map((name) => [
              name,
              sql<number>`${update.ref(name)} + ${update.ref(`excluded.${name}`)}`
            ])
          )
        )
    )
    .execute()
}

/** Returns a content with statistics; undefined once its campaign or autoresponder was deleted. */
export function countedSlice(db: Kysely<Schema>, sliceId: number) {
  return db
    .selectFrom('stat_slices')
    .innerJoin('stats', 'stats.id', 'stat_slices.stat_id')
    .leftJoin('campaigns', 'campaigns.id', 'stats.campaign_id')
    .leftJoin('dispatches', 'dispatches.campaign_id', 'campaigns.id')
    .leftJoin('autoresponders', 'autoresponders.id', 'stats.autoresponder_id')
    .select((select) => [
      'stats.campaign_id',
      'stats.autoresponder_id',
      select.fn.coalesce('dispatches.track_opens', 'autoresponders.track_opens').as('track_opens')
    ])
    .where('stat_slices.id', '=', sliceId)
    .where('campaigns.deleted_at', 'is', null)
    .executeTakeFirst()
}

export interface RecipientEvent {
  type: Exclude<StatEventType, 'bounce'>
  sliceId: number
  subscriber: { id: number; email: string; distinct_id?: number | null }
  /** The clicked link. */
  linkId?: number
  ip: string | null
  /** True if it changed the subscriber's status. */
  updatesStatus?: boolean
  /** True if a program opened or clicked. */
  isMachine?: boolean
  /** UNIX milliseconds; default: now. */
  at?: number
}

/**
 * Stores and counts an event.
 * @returns true for the recipient's first of its type
 */
export async function recordEvent(
  context: CommandContext,
  event: RecipientEvent,
  timeZone: string
): Promise<boolean> {
  const { type, sliceId, subscriber, linkId, ip, updatesStatus = false, isMachine = false } = event
  const at = event.at ?? context.now
  const isUnique = !(await happened(context, { type, sliceId, subscriber }))
  const isUniqueOfLink =
    linkId !== undefined && !(await happened(context, { type, sliceId, subscriber, linkId }))
  if (type === 'open' || type === 'click') {
    await countByOrigin(context, { type, sliceId, subscriberId: subscriber.id, isMachine })
  }
  await context.db
    .insertInto('stat_events')
    .values({
      stat_slice_id: sliceId,
      type,
      subscriber_id: subscriber.id,
      email: subscriber.email,
      is_unique: Number(isUnique),
      link_id: linkId ?? null,
      is_unique_of_link: linkId === undefined ? null : Number(isUniqueOfLink),
      bounce_code: null,
      ip,
      occurred_at: at,
      is_machine: Number(isMachine)
    })
    .execute()
  if (type !== 'scomp') {
    const reaction = { sliceId, subscriber, linkId: linkId ?? null, isUnique, ip, at }
    await recordReaction(context, { type: `studio_${type}`, ...reaction })
  }
  if (linkId !== undefined) await countClick(context, linkId, isUnique, isUniqueOfLink)
  const plural = `${type}s` as const
  await incrementCounter(
    context,
    sliceId,
    {
      [`${plural}_total`]: 1,
      [`${plural}_unique`]: Number(isUnique),
      ...(type === 'click' && { clicks_unique_by_link: Number(isUniqueOfLink) }),
      ...(type === 'unsub' && { unsubs_status_updated: Number(updatesStatus) }),
      ...(type === 'scomp' && { scomps_status_updated: Number(updatesStatus) })
    },
    timeZone,
    at
  )
  return isUnique
}

interface TakenBack {
  sliceId: number
  subscriberId: number
  firstEventId: number
  /** False for a recipient of a Remote List, who has no status. */
  updatedStatus?: boolean
}

/** Takes back the unsubscribes of a recipient that were counted from an event on. */
export async function takeBackUnsubscribes(
  context: CommandContext,
  { sliceId, subscriberId, firstEventId, updatedStatus = true }: TakenBack,
  timeZone: string
): Promise<void> {
  const events = await context.db
    .deleteFrom('stat_events')
    .where('stat_slice_id', '=', sliceId)
    .where('type', '=', 'unsub')
    .where('subscriber_id', '=', subscriberId)
    .where('id', '>=', firstEventId)
    .returning(['id', 'is_unique', 'occurred_at'])
    .execute()
  for (const { id, is_unique, occurred_at } of events) {
    const counters = {
      unsubs_total: -1,
      unsubs_unique: -is_unique,
      // Only the first one changed the status.
      unsubs_status_updated: updatedStatus && id === firstEventId ? -1 : 0
    }
    await incrementCounter(context, sliceId, counters, timeZone, occurred_at)
  }
}

export interface RecipientBounce {
  sliceId: number
  subscriber: { id: number; email: string }
  class: 'hard' | 'soft' | 'other'
  /** The enhanced status code; null = none is known. */
  code: string | null
  /** True if a server had taken the message over. */
  wasAccepted: boolean
  updatesStatus: boolean
}

/** Stores and counts a bounce that was reported later: a remote one (docs/api.md, "Statistics"), unless no server had accepted the message. */
export async function recordBounce(
  context: CommandContext,
  { sliceId, subscriber, class: verdict, code, wasAccepted, updatesStatus }: RecipientBounce,
  timeZone: string
): Promise<void> {
  const isUnique = !(await happened(context, { type: 'bounce', sliceId, subscriber }))
  await context.db
    .insertInto('stat_events')
    .values({
      stat_slice_id: sliceId,
      type: 'bounce',
      subscriber_id: subscriber.id,
      email: subscriber.email,
      is_unique: Number(isUnique),
      link_id: null,
      is_unique_of_link: null,
      bounce_code: code,
      ip: null,
      occurred_at: context.now
    })
    .execute()
  await incrementCounter(
    context,
    sliceId,
    {
      bounces_total: 1,
      [wasAccepted ? 'bounces_unique_remote' : 'bounces_unique_local']: Number(isUnique),
      [`bounces_unique_${verdict}`]: Number(isUnique),
      bounces_status_updated: Number(updatesStatus)
    },
    timeZone
  )
}

async function countClick(
  context: CommandContext,
  linkId: number,
  isUnique: boolean,
  isUniqueOfLink: boolean
): Promise<void> {
  await context.db
    .updateTable('stat_links')
    .set((update) => ({
      clicks_total: update('clicks_total', '+', 1),
      clicks_unique: update('clicks_unique', '+', Number(isUnique)),
      clicks_unique_by_link: update('clicks_unique_by_link', '+', Number(isUniqueOfLink))
    }))
    .where('id', '=', linkId)
    .execute()
}

/** True if the recipient caused this event before. */
export async function happened(
  context: CommandContext,
  {
    type,
    sliceId,
    subscriber,
    linkId
  }: Pick<RecipientEvent, 'sliceId' | 'subscriber' | 'linkId'> & { type: StatEventType }
): Promise<boolean> {
  const found = await context.db
    .selectFrom('stat_events')
    .select('id')
    .where('stat_slice_id', '=', sliceId)
    .where('type', '=', type)
    .where('subscriber_id', '=', subscriber.id)
    .$if(linkId !== undefined, (query) => query.where('link_id', '=', linkId ?? 0))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
