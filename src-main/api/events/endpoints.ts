import { Type } from 'typebox'
import { endpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { Nullable, withDefault } from '../../http/schema.ts'
import { Event, eventTypes } from './schema.ts'

/** Longest wait of a follower, in seconds: some programs give up after 30. */
const maxWait = 25

const filter = {
  event_type: Type.Optional(Type.Enum([...eventTypes])),
  per_page: withDefault(Type.Integer({ minimum: 1, maximum: 500 }), 100)
}

/** Extensions of the API (docs/api.md, "Events"). */
export const eventEndpoints = endpoints('Events', {
  'GET /events': {
    access: 'subscriber.read',
    summary: 'Page through events, newest first',
    query: Type.Object({ ...filter, page_token: Type.Optional(Type.String()) }),
    answer: envelope(Type.Object({ events: Type.Array(Event), next_page_token: Nullable(Type.String()) }))
  },

  'GET /events/follow': {
    access: 'subscriber.read',
    summary: 'Follow events, oldest first: wait for those after one',
    query: Type.Object({
      ...filter,
      /** The `last` of the former answer; left out: begins now. */
      after: Type.Optional(Type.Integer({ minimum: 0 })),
      /** In seconds. */
      wait: withDefault(Type.Integer({ minimum: 0, maximum: maxWait }), 0)
    }),
    answer: envelope(Type.Object({ events: Type.Array(Event), last: Type.Integer() }))
  }
})
