import type { Kysely } from 'kysely'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StatusChange } from '../../api/subscribers/record-changes.ts'
import type { SubscriberChange } from '../../api/subscribers/history.ts'
import { unpackJson } from '../../base/packed-json.ts'
import type { ChangedMembers } from '../../database/command.ts'
import type { ChangeLogTable, Schema } from '../../database/schema.ts'

export interface HistoryEntry extends Pick<ChangeLogTable, 'at' | 'action' | 'via' | 'cause_id' | 'user_id'> {
  id: number
  mailing_list_id: number | null
  details: SubscriberChange
}

const columns = ['id', 'at', 'action', 'mailing_list_id', 'via', 'cause_id', 'user_id'] as const

/** Number of bulk changes that are unpacked, in about 2 ms, before other work may run. */
const unpackedAtOnce = 10

const maxLookedInto = 4000

/**
 * The newest changes of a subscriber from before a time (UNIX milliseconds), newest first. Of changes of many at once each that
 * spans the id is looked into, a few at a time.
 * @returns the changes, and `from`: whatever is older than that was not looked for; null = nothing is
 * @throws the reason of the signal, once it is aborted
 */
export async function changesOfSubscriber(
  db: Kysely<Schema>,
  id: number,
  before: number,
  limit: number,
  signal: AbortSignal
): Promise<{ entries: HistoryEntry[]; from: number | null }> {
  const single = await db
    .selectFrom('change_log')
    .select([...columns, 'details'])
    .where('entity', '=', 'subscriber')
    .whereRef('first_id', '=', 'last_id')
    .where('first_id', '=', id)
    .where('at', '<', before)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  const entries: HistoryEntry[] = single.map(({ details, ...row }) => ({
    ...row,
    details: details === null ? {} : (JSON.parse(details) as SubscriberChange)
  }))
  const spanning = await db
    .selectFrom('change_log')
    .select(['id', 'at'])
    .where('entity', '=', 'subscriber')
    .whereRef('first_id', '<', 'last_id')
    .where('last_id', '>=', id)
    .where('first_id', '<=', id)
    .where('at', '<', before)
    .orderBy('id', 'desc')
    .limit(maxLookedInto)
    .execute()
  let found = 0
  for (let next = 0; next < spanning.length && found < limit; next += unpackedAtOnce) {
    const ids = spanning.slice(next, next + unpackedAtOnce).map((row) => row.id)
    const rows = await db
      .selectFrom('change_log')
      .select([...columns, 'members'])
      .where('id', 'in', ids)
      .execute()
    for (const { members, ...row } of rows) {
      const details = members === null ? {} : await detailsIn(members, id)
      if (!details) continue
      entries.push({ ...row, details })
      found++
    }
    await nextTurn()
    signal.throwIfAborted()
  }
  const isCutShort = spanning.length === maxLookedInto && found < limit
  // More entries with the time of the last one may follow, so these are left to the next page.
  const from = isCutShort ? (spanning.at(-1)?.at ?? 0) + 1 : null
  const newest = entries.filter(({ at }) => from === null || at >= from).sort((a, b) => b.at - a.at)
  return { entries: newest.slice(0, limit), from: newest.length > limit ? null : from }
}

/** Returns the recorded change of one subscriber in a bulk change; null if it is not in it. */
async function detailsIn(packed: Buffer, id: number): Promise<SubscriberChange | null> {
  const { ids, statuses } = (await unpackJson(packed)) as ChangedMembers
  const place = ids.indexOf(id)
  if (place < 0) return null
  const status = statuses?.[place]
  return status ? { status: status as StatusChange } : {}
}

function sentContents(db: Kysely<Schema>, organizationId: number) {
  return db
    .selectFrom('mailing_lists')
    .innerJoin('campaigns', 'campaigns.mailing_list_id', 'mailing_lists.id')
    .innerJoin('stats', 'stats.campaign_id', 'campaigns.id')
    .innerJoin('stat_slices', 'stat_slices.stat_id', 'stats.id')
    .where('mailing_lists.organization_id', '=', organizationId)
    .where('mailing_lists.deleted_at', 'is', null)
    .where('campaigns.deleted_at', 'is', null)
}

/** Returns a subscriber's reactions to messages before a time, newest first. */
export function eventsOfSubscriber(
  db: Kysely<Schema>,
  organizationId: number,
  id: number,
  before: number,
  limit: number
) {
  return (
    sentContents(db, organizationId)
      .innerJoin('stat_events', 'stat_events.stat_slice_id', 'stat_slices.id')
      .leftJoin('stat_links', 'stat_links.id', 'stat_events.link_id')
      .select([
        'stat_events.type',
        'stat_events.occurred_at as at',
        'campaigns.id as campaign_id',
        'campaigns.name as campaign_name',
        'stat_links.url'
      ])
      // All of them: the index has the type before the subscriber.
      .where('stat_events.type', 'in', ['open', 'click', 'bounce', 'scomp', 'unsub'])
      .where('stat_events.subscriber_id', '=', id)
      .where('stat_events.occurred_at', '<', before)
      .orderBy('stat_events.occurred_at', 'desc')
      .limit(limit)
      .execute()
  )
}

/** The campaigns that a subscriber was sent before a time, the newest first. */
export function messagesTo(
  db: Kysely<Schema>,
  organizationId: number,
  id: number,
  before: number,
  limit: number
) {
  return sentContents(db, organizationId)
    .innerJoin('stat_recipients', 'stat_recipients.stat_slice_id', 'stat_slices.id')
    .select([
      'stat_recipients.sent_at as at',
      'campaigns.id as campaign_id',
      'campaigns.name as campaign_name'
    ])
    .where('stat_recipients.subscriber_id', '=', id)
    .where('stat_recipients.sent_at', '<', before)
    .orderBy('stat_recipients.sent_at', 'desc')
    .limit(limit)
    .execute()
}

/** Returns the names of the users and jobs behind changes. */
export async function namesBehind(db: Kysely<Schema>, entries: readonly HistoryEntry[]) {
  const idsOf = (...vias: HistoryEntry['via'][]): number[] => [
    ...new Set(
      entries.flatMap(({ via, cause_id }) => (cause_id !== null && vias.includes(via) ? [cause_id] : []))
    )
  ]
  const [users, keys, actions, remotes] = await Promise.all([
    db
      .selectFrom('users')
      .select(['id', 'full_name as name'])
      .where('id', 'in', [...new Set(entries.flatMap(({ user_id }) => user_id ?? []))])
      .execute(),
    db.selectFrom('api_keys').select(['id', 'name', 'user_id']).where('id', 'in', idsOf('api_key')).execute(),
    db
      .selectFrom('bulk_actions')
      .select(['id', 'settings'])
      .where('id', 'in', idsOf('bulk_action', 'bulk_action_undo'))
      .execute(),
    db.selectFrom('sync_remotes').select(['id', 'name']).where('id', 'in', idsOf('sync')).execute()
  ])
  return { users, keys, actions, remotes, importIds: idsOf('subscriber_import', 'import_undo') }
}

/** Autoresponders that are to write to a subscriber, the next first. */
export function queuedFor(db: Kysely<Schema>, subscriberId: number) {
  return db
    .selectFrom('autoresponder_reactions')
    .innerJoin('autoresponders', 'autoresponders.id', 'autoresponder_reactions.autoresponder_id')
    .select(['autoresponders.id', 'autoresponders.name', 'due_at'])
    .where('subscriber_id', '=', subscriberId)
    .orderBy('due_at')
    .limit(100)
    .execute()
}
