import { settingsOf } from '../../api/bulk-actions/queries.ts'
import { undoObstacle } from '../../api/bulk-actions/rules.ts'
import { fieldsOfList } from '../../api/custom-fields/queries.ts'
import { type FieldDefinition, presentValue, type StoredValue } from '../../api/custom-fields/rules.ts'
import { mailingListsOf } from '../../api/mailing-lists/queries.ts'
import { subscribersByEmail, subscriberWithList } from '../../api/subscribers/queries.ts'
import { suppressionListsHolding } from '../../api/suppression-lists/queries.ts'
import { notFound } from '../../base/errors.ts'
import { formatOptionalTime, formatTime } from '../../base/times.ts'
import type { Caller } from '../../http/caller.ts'
import { keysSeenBy } from '../api-access/routes.ts'
import { signalOf } from '../../http/caller-signal.ts'
import { ok } from '../../http/envelope.ts'
import { hasPermission } from '../../http/access.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { linkedImports } from '../../imports/correction-queries.ts'
import { type SubscriberEvent, subscriberPageEndpoints } from './endpoints.ts'
import {
  changesOfSubscriber,
  eventsOfSubscriber,
  messagesTo,
  type HistoryEntry,
  namesBehind,
  queuedFor
} from './history-queries.ts'

/** Events of a page. */
const perPage = 50
/** Other lists that are named at once. */
const maxLists = 100

/** /app/v1/subscribers/:id: what is known of a subscriber beyond the API's answer. */
export const subscriberPageRoutes = serveEndpoints(subscriberPageEndpoints, ({ reader, writer }) => {
  /** @throws ApiError not_found */
  async function subscriberOf({ organizationId }: Caller, id: number) {
    const row = await subscriberWithList(reader, id)
    if (row?.organization_id !== organizationId || row.deleted_at !== null) throw notFound('subscriber', id)
    return row
  }

  async function eventsOfChanges(
    entries: HistoryEntry[],
    fields: readonly FieldDefinition[],
    caller: Caller
  ): Promise<(SubscriberEvent & { time: number })[]> {
    const { timeZone } = caller
    const { users, keys, actions, remotes, importIds } = await namesBehind(reader, entries)
    const imports = await linkedImports(reader, hasPermission(caller, 'subscriber.import') ? importIds : [])
    const ownKeysOf = keysSeenBy(caller)
    const nameOf = ({ via, cause_id: id }: HistoryEntry): string | null => {
      if (via === 'sync') return remotes.find((each) => each.id === id)?.name ?? null
      if (via !== 'api_key') return imports.get(id ?? 0)?.name ?? null
      const key = keys.find((each) => each.id === id)
      return key && (ownKeysOf === null || key.user_id === ownKeysOf) ? key.name : null
    }
    return entries.map((entry) => {
      const { at, action, via, cause_id: causeId, user_id: userId, details } = entry
      const bulkAction = via?.startsWith('bulk_action') && actions.find(({ id }) => id === causeId)
      const settings = bulkAction ? settingsOf(bulkAction) : null
      const name = settings?.kind === 'correct_domains' ? settings.name : nameOf(entry)
      return {
        ...noEvent,
        undo_id: canBeUndone(entry) ? entry.id : null,
        time: at,
        type: typeOf[action],
        at: formatTime(at, timeZone),
        via,
        user: users.find(({ id }) => id === userId) ?? null,
        cause: causeId === null ? null : { id: causeId, name },
        kind: settings?.kind ?? null,
        status: details.status ? { before: details.status[0], now: details.status[1] } : null,
        changes: changesIn(details, fields, timeZone)
      }
    })
  }

  return {
    'GET /subscribers/:id/surroundings': async ({ caller, params }) => {
      const { organizationId, timeZone } = caller
      const row = await subscriberOf(caller, params.id)
      const lists = await mailingListsOf(reader, organizationId)
      const { rows } = await subscribersByEmail(
        reader,
        lists.map(({ id }) => id),
        row.email,
        { afterId: 0, offset: 0, limit: maxLists }
      )
      const scope = { organizationId, mailingListId: row.mailing_list_id }
      const queued = await queuedFor(reader, row.id)
      return ok({
        remove_time: formatOptionalTime(row.remove_time, timeZone),
        remove_ip: row.remove_ip,
        others: rows
          .filter(({ id }) => id !== row.id)
          .map(({ id, mailing_list_id, status }) => ({
            id,
            mailing_list_id,
            mailing_list_name: lists.find((list) => list.id === mailing_list_id)?.name ?? '',
            status
          })),
        suppression_lists: await suppressionListsHolding(reader, scope, row.email),
        autoresponders: queued.map(({ due_at, ...autoresponder }) => ({
          ...autoresponder,
          due_at: formatTime(due_at, timeZone)
        }))
      })
    },

    'POST /subscribers/:id/history/:change_id/undo': async ({ caller, params }) => {
      const { organizationId } = caller
      await writer.run('changes.undo', {
        organizationId,
        subscriberId: params.id,
        changeId: params.change_id
      })
      return ok(null)
    },

    'POST /subscribers/:id/restore': async ({ caller, params }) => {
      const { organizationId } = caller
      const undone = { organizationId, subscriberId: params.id, changeId: null }
      const { mailingListId } = await writer.run('changes.undo', undone)
      return ok({ mailing_list_id: mailingListId })
    },

    'GET /subscribers/:id/history': async ({ caller, params, query }, reply) => {
      const { organizationId, timeZone } = caller
      const row = await subscriberOf(caller, params.id)
      const before = query.before ?? Number.MAX_SAFE_INTEGER
      const signal = signalOf(reply)
      const { entries: all, from } = await changesOfSubscriber(reader, row.id, before, perPage + 1, signal)
      const entries = withoutMoves(all)
      const [done, got] = hasPermission(caller, 'campaign.read_stats')
        ? await Promise.all([
            eventsOfSubscriber(reader, organizationId, row.id, before, perPage + 1),
            messagesTo(reader, organizationId, row.id, before, perPage + 1)
          ])
        : [[], []]
      const fields = await fieldsOfList(reader, organizationId, row.mailing_list_id)
      const changes = await eventsOfChanges(entries, fields, caller)
      const events = [
        ...changes,
        // An unsubscribe by a link is also recorded as a change of the subscriber at the same time.
        ...done
          .filter(({ type, at }) => type !== 'unsub' || !entries.some((entry) => entry.at === at))
          .map(({ type, at, campaign_id, campaign_name, url }) => ({
            ...noEvent,
            time: at,
            type,
            at: formatTime(at, timeZone),
            message: { id: campaign_id, name: campaign_name },
            url
          })),
        ...got.map(({ at, campaign_id, campaign_name }) => ({
          ...noEvent,
          time: at,
          type: 'message' as const,
          at: formatTime(at, timeZone),
          message: { id: campaign_id, name: campaign_name }
        }))
      ].sort((a, b) => b.time - a.time)
      // Merged entries are counted one by one: otherwise a full page would look like the last one.
      const times = [...all, ...done, ...got].map(({ at }) => at).sort((a, b) => b - a)
      const next = times.length > perPage ? (times[perPage - 1] ?? null) : from
      return ok({
        events: events
          .filter(({ time }) => next === null || time >= next)
          .map(({ time: _time, ...event }) => event),
        next
      })
    }
  }
})

const noEvent = {
  undo_id: null,
  via: null,
  user: null,
  cause: null,
  kind: null,
  status: null,
  changes: [],
  message: null,
  url: null
} satisfies Partial<SubscriberEvent>

function canBeUndone({ action, via, at, details }: HistoryEntry): boolean {
  const isKnown = Object.keys(details).length > 0
  return action === 'update' && isKnown && undoObstacle({ via, at }, Date.now()) === null
}

const typeOf = { create: 'added', update: 'changed', delete: 'removed' } as const

/** Shows a move as one entry: the subscriber leaves a list and joins another at the same time. */
function withoutMoves(entries: HistoryEntry[]): HistoryEntry[] {
  const arrivals = new Set(entries.filter(({ action }) => action === 'create').map(({ at }) => at))
  return entries.filter(({ action, at }) => action !== 'delete' || !arrivals.has(at))
}

/** Returns a change with the names of options, without deleted fields. */
function changesIn(
  { email, confirmed, email_format, subscribe_time, fields: values = {} }: HistoryEntry['details'],
  fields: readonly FieldDefinition[],
  timeZone: string
): SubscriberEvent['changes'] {
  const attribute = (name: string, pair: readonly unknown[] | undefined) =>
    pair ? [{ attribute: name, field: null, before: pair[0], now: pair[1] }] : []
  return [
    ...attribute('email', email),
    ...attribute(
      'confirmed',
      confirmed?.map((flag) => flag !== null && flag === 1)
    ),
    ...attribute('email_format', email_format),
    ...attribute(
      'subscribe_time',
      subscribe_time?.map((time) => formatTime(time, timeZone))
    ),
    ...fields.flatMap((field) => {
      const pair = values[field.id]
      if (!pair) return []
      const [before, now] = pair.map((value) =>
        presentValue(field, (value ?? undefined) as StoredValue | undefined)
      )
      return [{ attribute: null, field: field.name, before, now }]
    })
  ]
}
