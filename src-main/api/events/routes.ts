import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import { ok } from '../../http/envelope.ts'
import { JsonText, withData } from '../../http/json-text.ts'
import { idOfPageToken, pageTokenAfter } from '../../http/pagination.ts'
import { signalOf } from '../../http/caller-signal.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { eventEndpoints } from './endpoints.ts'
import { type EventRow, eventsAfter, eventsBefore, newestEventId, writeEvents } from './queries.ts'
import type { Event, EventType } from './schema.ts'

const paged = 'events'

export const eventRoutes = serveEndpoints(eventEndpoints, ({ reader, followers }) => ({
  'GET /events': async ({ caller: { organizationId }, query }) => {
    const before = query.page_token === undefined ? null : idOfPageToken(paged, query.page_token)
    const filter = { organizationId, types: typesOf(query) }
    const rows = await eventsBefore(reader, filter, { before, limit: query.per_page })
    const last = rows.length < query.per_page ? undefined : rows.at(-1)
    const next_page_token = last ? pageTokenAfter(paged, last.id) : null
    return withData(ok(null), await withEvents(reader, organizationId, rows, { next_page_token }))
  },

  'GET /events/follow': async ({ caller: { organizationId }, query }, reply) => {
    await followers.follow(organizationId)
    const gone = signalOf(reply)
    const filter = { organizationId, types: typesOf(query) }
    const until = Date.now() + query.wait * 1000
    // What a backup was restored over has later events than there are now.
    let after = Math.min(query.after ?? Infinity, await newestEventId(reader))
    for (;;) {
      // Read before the events: those recorded meanwhile come with the next answer.
      const newest = await newestEventId(reader)
      const rows = await eventsAfter(reader, filter, { after, until: newest, limit: query.per_page })
      const isFull = rows.length === query.per_page
      after = isFull ? (rows.at(-1)?.id ?? after) : Math.max(after, newest)
      const left = until - Date.now()
      if (rows.length > 0 || left <= 0 || gone.aborted || followers.isClosed) {
        return withData(ok(null), await withEvents(reader, organizationId, rows, { last: after }))
      }
      await followers.change(left, gone)
    }
  }
}))

function typesOf({ event_type }: { event_type?: EventType }): EventType[] | null {
  return event_type === undefined ? null : [event_type]
}

async function withEvents<Beside extends object>(
  reader: Kysely<Schema>,
  organizationId: number,
  rows: readonly EventRow[],
  beside: Beside
): Promise<JsonText<Beside & { events: Event[] }>> {
  const events = await writeEvents(reader, organizationId, rows)
  const array = `[${events.map(({ text }) => text).join(',')}]`
  return new JsonText(`{"events":${array},${JSON.stringify(beside).slice(1)}`)
}
