import { Type } from 'typebox'
import { BulkAction, BulkActionInput, Selection } from '../../api/bulk-actions/schema.ts'
import { SubscriberExport, SubscriberExportInput } from '../../api/subscriber-exports/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope, pagedEnvelope } from '../../http/envelope.ts'
import { PageQuery } from '../../http/pagination.ts'
import { IdParams, MailingListParams, Nullable, withDefault } from '../../http/schema.ts'
import { choiceInput } from '../choice/schema.ts'

/** Limit of ids that are selected or excluded one by one. */
export const maxTicked = 10_000

const Ids = Type.Array(Type.Integer(), { maxItems: maxTicked })

export const bulkActionEndpoints = unlistedEndpoints({
  // Stores a selection, so that the action changes exactly those subscribers.
  'POST /mailing_lists/:mailing_list_id/selections': {
    access: 'subscriber.read',
    params: MailingListParams,
    body: Type.Object({
      ...choiceInput,
      /** Subscribers who were ticked, in place of all of that; null = none were. */
      only: withDefault(Nullable(Ids), null),
      /** Subscribers who are left out. */
      except: withDefault(Ids, [])
    }),
    answer: envelope(Selection)
  },

  'POST /selections/:id/bulk_actions': {
    // Each kind needs a permission of its own.
    access: 'signed_in',
    params: IdParams,
    body: BulkActionInput,
    answer: envelope(BulkAction)
  },

  'POST /selections/:id/exports': {
    access: 'subscriber.export',
    params: IdParams,
    body: Type.Pick(SubscriberExportInput, ['columns', 'file_format']),
    answer: envelope(SubscriberExport)
  },

  'GET /bulk_actions': {
    access: 'subscriber.read',
    query: Type.Object({
      ...PageQuery(50),
      /** Only of this list; default: of all. */
      mailing_list_id: Type.Optional(Type.Integer())
    }),
    answer: pagedEnvelope(BulkAction)
  },

  'GET /bulk_actions/:id': { access: 'subscriber.read', params: IdParams, answer: envelope(BulkAction) },

  'POST /bulk_actions/:id/cancel': { access: 'signed_in', params: IdParams, answer: envelope(BulkAction) },

  'POST /bulk_actions/:id/undo': { access: 'signed_in', params: IdParams, answer: envelope(BulkAction) },

  // The subscribers that the action, or its undo, skipped and why, as CSV.
  'GET /bulk_actions/:id/kept': {
    access: 'subscriber.read',
    params: IdParams,
    query: Type.Object({ undo: withDefault(Type.Boolean(), false) })
  }
})
