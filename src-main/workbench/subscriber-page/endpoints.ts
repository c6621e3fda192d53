import { type Static, Type } from 'typebox'
import { bulkActionKinds } from '../../api/bulk-actions/schema.ts'
import { subscriberStatuses } from '../../api/subscribers/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { Nullable, Reference } from '../../http/schema.ts'

const params = Type.Object({ id: Type.Integer() })
const Status = Type.Enum([...subscriberStatuses])

const Surroundings = Type.Object({
  /**
   * When and from where the subscriber unsubscribed, which the API has only in exports; null = never or
   * unknown.
   */
  remove_time: Nullable(Type.String()),
  remove_ip: Nullable(Type.String()),
  /** The other lists with the same email on them. */
  others: Type.Array(
    Type.Object({
      id: Type.Integer(),
      mailing_list_id: Type.Integer(),
      mailing_list_name: Type.String(),
      status: Status
    })
  ),
  /** The suppression lists that keep messages of this list from the address. */
  suppression_lists: Type.Array(Reference),
  autoresponders: Type.Array(Type.Object({ ...Reference.properties, due_at: Type.String() }))
})
export type Surroundings = Static<typeof Surroundings>

/** By what a recipient caused an event. */
export const eventVias = [
  'window',
  'api_key',
  'link',
  'subscriber_import',
  'import_undo',
  'bulk_action',
  'bulk_action_undo',
  'sync',
  'command_line'
] as const

const Event = Type.Object({
  /** The id to undo a change with; null if it cannot be undone on its own. */
  undo_id: Nullable(Type.Integer()),
  /**
   * added, changed and removed: changes of the subscriber. message: a message sent to the subscriber. The
   * others: what the subscriber did with a message.
   */
  type: Type.Enum(['added', 'changed', 'removed', 'message', 'open', 'click', 'bounce', 'scomp', 'unsub']),
  at: Type.String(),
  /** null where it is not known, or the application did it by itself. */
  via: Nullable(Type.Enum([...eventVias])),
  user: Nullable(Reference),
  /** The API key, import or bulk action; its name is null where that is gone. */
  cause: Nullable(Type.Object({ id: Type.Integer(), name: Nullable(Type.String()) })),
  kind: Nullable(Type.Enum([...bulkActionKinds])),
  /** The status before and after; before is null for one who was added. */
  status: Nullable(Type.Object({ before: Nullable(Status), now: Status })),
  /** Attributes and custom fields, as they were and are; an attribute by its name in the API, a field by its own. */
  changes: Type.Array(
    Type.Object({
      attribute: Nullable(Type.String()),
      field: Nullable(Type.String()),
      before: Type.Unknown(),
      now: Type.Unknown()
    })
  ),
  /** The campaign of the message. */
  message: Nullable(Reference),
  /** The clicked address. */
  url: Nullable(Type.String())
})
export type SubscriberEvent = Static<typeof Event>

const History = Type.Object({
  /** The newest first. */
  events: Type.Array(Event),
  /** The next value of `before`; null = the end. */
  next: Nullable(Type.Integer())
})

export const subscriberPageEndpoints = unlistedEndpoints({
  'GET /subscribers/:id/surroundings': { access: 'subscriber.read', params, answer: envelope(Surroundings) },

  // Events of messages are shown only to users who may see statistics.
  'GET /subscribers/:id/history': {
    access: 'subscriber.read',
    params,
    query: Type.Object({ before: Type.Optional(Type.Integer()) }),
    answer: envelope(History)
  },

  // Restores the subscriber as before the change.
  'POST /subscribers/:id/history/:change_id/undo': {
    access: 'subscriber.update',
    params: Type.Object({ ...params.properties, change_id: Type.Integer() }),
    answer: envelope(Type.Null())
  },

  // Restores a subscriber who was deleted individually in the last days, under the same id.
  'POST /subscribers/:id/restore': {
    access: 'subscriber.create',
    params,
    answer: envelope(Type.Object({ mailing_list_id: Type.Integer() }))
  }
})
