import type { Kysely, Selectable, SelectQueryBuilder } from 'kysely'
import { epochSeconds } from '../../base/times.ts'
import type { Schema } from '../../database/schema.ts'
import { jsonOf, JsonText } from '../../http/json-text.ts'
import { fieldsOfList } from '../custom-fields/queries.ts'
import { isRemoteId, seqIdOf } from '../remote-lists/recipient-ids.ts'
import type { PresentedRow } from '../subscribers/queries.ts'
import type { Subscriber } from '../subscribers/schema.ts'
import { subscriberWriter } from '../subscribers/write-subscriber.ts'
import { type Event, type EventType, eventTypes } from './schema.ts'
import type { EventsTable, Reaction, RowChange } from './tables.ts'

export type EventRow = Selectable<EventsTable>

/** The id of the newest event of all organizations; 0 while there is none. */
export async function newestEventId(db: Kysely<Schema>): Promise<number> {
  const newest = await db.selectFrom('events').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return newest?.id ?? 0
}

interface EventFilter {
  organizationId: number
  /** null = all. */
  types: readonly EventType[] | null
}

/** Returns events after one, oldest first. @param until the last one that may be among them */
export function eventsAfter(
  db: Kysely<Schema>,
  filter: EventFilter,
  { after, until, limit }: { after: number; until?: number; limit: number }
): Promise<EventRow[]> {
  return eventsOf(db, filter, limit, 'asc', (query) => {
    const later = query.where('id', '>', after)
    return until === undefined ? later : later.where('id', '<=', until)
  })
}

/** Returns events before one, newest first. */
export function eventsBefore(
  db: Kysely<Schema>,
  filter: EventFilter,
  { before, limit }: { before: number | null; limit: number }
): Promise<EventRow[]> {
  return eventsOf(db, filter, limit, 'desc', (query) =>
    before === null ? query : query.where('id', '<', before)
  )
}

type IdQuery = SelectQueryBuilder<Schema, 'events', { id: number }>

/** Reads the ids of each type from the index, and then the first rows of all: a rare type must not pass over all others. */
async function eventsOf(
  db: Kysely<Schema>,
  { organizationId, types }: EventFilter,
  limit: number,
  order: 'asc' | 'desc',
  within: (query: IdQuery) => IdQuery
): Promise<EventRow[]> {
  const found = await Promise.all(
    (types ?? eventTypes).map((type) => {
      const ofType = db
        .selectFrom('events')
        .select('id')
        .where('organization_id', '=', organizationId)
        .where('type', '=', type)
      return within(ofType).orderBy('id', order).limit(limit).execute()
    })
  )
  const sign = order === 'asc' ? 1 : -1
  const ids = found
    .flat()
    .map(({ id }) => id)
    .sort((a, b) => sign * (a - b))
  const wanted = ids.slice(0, limit)
  if (wanted.length === 0) return []
  return db.selectFrom('events').selectAll().where('id', 'in', wanted).orderBy('id', order).execute()
}

type WrittenSubscriber = (row: PresentedRow) => JsonText<Subscriber>

interface EventList {
  name: string
  write: WrittenSubscriber
}

/**
 * Writes events of an organization as JSON (docs/api.md, "Events"), each by itself. Names of lists and fields are those of now.
 */
export async function writeEvents(
  db: Kysely<Schema>,
  organizationId: number,
  rows: readonly EventRow[]
): Promise<JsonText<Event>[]> {
  const { time_zone_name: timeZone } = await db
    .selectFrom('organizations')
    .select('time_zone_name')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
  const lists = new Map<number, EventList>()
  for (const id of new Set(rows.map((row) => row.mailing_list_id))) {
    lists.set(id, await eventListOf(db, organizationId, id, timeZone))
  }
  return rows.map((row) => writeEvent(row, lists.get(row.mailing_list_id) ?? goneList(timeZone)))
}

async function eventListOf(
  db: Kysely<Schema>,
  organizationId: number,
  id: number,
  timeZone: string
): Promise<EventList> {
  const list = await db.selectFrom('mailing_lists').selectAll().where('id', '=', id).executeTakeFirst()
  if (!list) return goneList(timeZone)
  const fields = await fieldsOfList(db, organizationId, id)
  return { name: list.name, write: subscriberWriter(list, fields, timeZone) }
}

/** A list that was removed for good: its fields are gone, and so are their values. */
function goneList(timeZone: string): EventList {
  return { name: '', write: subscriberWriter({ has_format: 0, has_confirmed: 0 }, [], timeZone) }
}

function writeEvent(row: EventRow, list: EventList): JsonText<Event> {
  const isChange = row.type === 'studio_subscriber_created' || row.type === 'studio_subscriber_updated'
  const rest = isChange ? changeMembers(row, list) : reactionMembers(row)
  return new JsonText(
    `{"event_id":${row.id},"event_type":"${row.type}","listid":"a${row.mailing_list_id}"` +
      `,"studio_mailing_list_id":${row.mailing_list_id},"list_name":${jsonOf(list.name)}` +
      `,"studio_subscriber_id":${isRemoteId(row.subscriber_id) ? null : row.subscriber_id}${rest}}`
  )
}

function changeMembers(row: EventRow, { write }: EventList): string {
  const { before, after } = JSON.parse(row.body) as RowChange
  return (
    `,"email":${jsonOf(after.email)},"event_time":${epochSeconds(row.recorded_at)}` +
    (before ? `,"json_before":${write(before).text}` : '') +
    `,"json_after":${write(after).text}`
  )
}

function reactionMembers(row: EventRow): string {
  const { email, at, campaign_id, autoresponder_id, is_unique, ip, url, distinct_id } = JSON.parse(
    row.body
  ) as Reaction
  const members = {
    email,
    sendid: campaign_id === null ? `a${autoresponder_id}` : `c${campaign_id}`,
    event_time: epochSeconds(at),
    studio_campaign_id: campaign_id,
    studio_autoresponder_id: autoresponder_id,
    studio_is_unique: is_unique === 1,
    studio_ip: ip,
    ...(row.type === 'studio_click' && { click_url: url ?? '' }),
    ...(isRemoteId(row.subscriber_id) && {
      studio_rl_seq_id: seqIdOf(row.subscriber_id),
      studio_rl_distinct_id: distinct_id ?? null
    })
  } satisfies Partial<Event>
  return `,${JSON.stringify(members).slice(1, -1)}`
}

/** Returns the id of the first event that was recorded at a time (UNIX milliseconds) or later; the next free one if there is none. */
export async function firstEventSince(db: Kysely<Schema>, time: number): Promise<number> {
  const oldest = await db.selectFrom('events').select('id').orderBy('id').limit(1).executeTakeFirst()
  let after = (await newestEventId(db)) + 1
  let from = oldest?.id ?? after
  // Ids ascend with time, so no index of the times is needed.
  while (from < after) {
    const middle = Math.floor((from + after) / 2)
    const row = await db
      .selectFrom('events')
      .select(['id', 'recorded_at'])
      .where('id', '>=', middle)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
    if (row === undefined || row.recorded_at >= time) after = middle
    else from = row.id + 1
  }
  return from
}
