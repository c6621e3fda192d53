import { sql } from 'kysely'
import { type CommandContext, inBackground } from '../../database/command.ts'
import { compiledQuery } from '../../database/compiled-query.ts'
import { isRemoteId } from '../remote-lists/recipient-ids.ts'
import type { EventRow } from './queries.ts'
import { followOrganizations } from './recording.ts'
import type { EventType } from './schema.ts'

interface RecordedReaction {
  type: Extract<EventType, 'studio_open' | 'studio_click' | 'studio_unsub'>
  sliceId: number
  /** With a distinct_id for the recipient of a Remote List. */
  subscriber: { id: number; email: string; distinct_id?: number | null }
  linkId: number | null
  isUnique: boolean
  ip: string | null
  /** UNIX milliseconds. */
  at: number
}

/**
 * Records what a recipient did with a message. Unsubscribes that a program caused through the API are none (docs/api.md, "Events").
 */
export async function recordReaction(context: CommandContext, reaction: RecordedReaction): Promise<void> {
  const { type, sliceId, subscriber, linkId, isUnique, ip, at } = reaction
  if (type === 'studio_unsub' && context.origin?.via === 'api_key') return
  const insert = isRemoteId(subscriber.id) ? insertRemoteReaction : insertReaction
  const [recorded] = await insert(context.db, {
    ...{ type, sliceId, linkId, ip, at, now: context.now, isUnique: Number(isUnique) },
    ...{ email: subscriber.email, subscriberId: subscriber.id, distinctId: subscriber.distinct_id ?? null }
  })
  if (!recorded) return
  context.record({
    ...{ entity: 'webhook', action: 'update', isUnlogged: true },
    ...{ organizationId: recorded.organization_id, mailingListId: recorded.mailing_list_id },
    ...{ firstId: subscriber.id, lastId: subscriber.id }
  })
}

interface ReactionValues {
  type: EventType
  sliceId: number
  subscriberId: number
  email: string
  distinctId: number | null
  linkId: number | null
  isUnique: number
  ip: string | null
  at: number
  now: number
}

const insertReaction = compiledQuery<ReactionValues, Pick<EventRow, 'organization_id' | 'mailing_list_id'>>(
  (db, value) =>
    db
      .insertInto('events')
      .columns(['organization_id', 'type', 'mailing_list_id', 'subscriber_id', 'recorded_at', 'body'])
      .expression((from) =>
        from
          .selectFrom('subscribers')
          .innerJoin('mailing_lists', 'mailing_lists.id', 'subscribers.mailing_list_id')
          .innerJoin('stat_slices', (join) => join.on('stat_slices.id', '=', value('sliceId')))
          .innerJoin('stats', 'stats.id', 'stat_slices.stat_id')
          .leftJoin('stat_links', (join) => join.on('stat_links.id', '=', value('linkId')))
          .where('subscribers.id', '=', value('subscriberId'))
          .select((select) => [
            'mailing_lists.organization_id',
            select.val(value('type')).as('type'),
            'mailing_lists.id as mailing_list_id',
            'subscribers.id as subscriber_id',
            select.val(value('now')).as('recorded_at'),
            sql<string>`json_object(
            'email', ${value('email')}, 'at', ${value('at')},
            'campaign_id', ${select.ref('stats.campaign_id')},
            'autoresponder_id', ${select.ref('stats.autoresponder_id')},
            'is_unique', ${value('isUnique')}, 'ip', ${value('ip')}, 'url', ${select.ref('stat_links.url')})`.as(
              'body'
            )
          ])
      )
      .returning(['organization_id', 'mailing_list_id'])
)

/** The same of a recipient of a Remote List, who is no subscriber. */
const insertRemoteReaction: typeof insertReaction = compiledQuery((db, value) =>
  db
    .insertInto('events')
    .columns(['organization_id', 'type', 'mailing_list_id', 'subscriber_id', 'recorded_at', 'body'])
    .expression((from) =>
      from
        .selectFrom('stat_slices')
        .innerJoin('stats', 'stats.id', 'stat_slices.stat_id')
        .innerJoin('campaigns', 'campaigns.id', 'stats.campaign_id')
        .innerJoin('mailing_lists', 'mailing_lists.id', 'campaigns.mailing_list_id')
        .leftJoin('stat_links', (join) => join.on('stat_links.id', '=', value('linkId')))
        .where('stat_slices.id', '=', value('sliceId'))
        .select((select) => [
          'mailing_lists.organization_id',
          select.val(value('type')).as('type'),
          'mailing_lists.id as mailing_list_id',
          select.val(value('subscriberId')).as('subscriber_id'),
          select.val(value('now')).as('recorded_at'),
          sql<string>`json_object(
            'email', ${value('email')}, 'at', ${value('at')},
            'campaign_id', ${select.ref('stats.campaign_id')}, 'autoresponder_id', NULL,
            'distinct_id', ${value('distinctId')},
            'is_unique', ${value('isUnique')}, 'ip', ${value('ip')}, 'url', ${select.ref('stat_links.url')})`.as(
            'body'
          )
        ])
    )
    .returning(['organization_id', 'mailing_list_id'])
)

/** Events that are deleted at once. */
const deletedAtOnce = 2000

/**
 * Deletes some of the events that were recorded before a time, in UNIX milliseconds.
 * @returns true if there may be more
 */
const deleteOldEvents = inBackground<{ before: number }, boolean>(async ({ db }, { before }) => {
  const oldest = db.selectFrom('events').select(['id', 'recorded_at']).orderBy('id').limit(deletedAtOnce)
  const { numDeletedRows } = await db
    .deleteFrom('events')
    .where('id', 'in', (select) =>
      select.selectFrom(oldest.as('oldest')).select('id').where('recorded_at', '<', before)
    )
    .executeTakeFirst()
  return numDeletedRows === BigInt(deletedAtOnce)
})

export const eventCommands = { follow: followOrganizations, deleteOld: deleteOldEvents }

declare module '../../database/command.ts' {
  interface CommandRegistry {
    events: typeof eventCommands
  }
}
