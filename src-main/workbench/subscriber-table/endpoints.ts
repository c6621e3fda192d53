import { Type } from 'typebox'
import { pagedEnvelope } from '../../http/envelope.ts'
import { MailingListParams, Nullable, withDefault } from '../../http/schema.ts'
import { sortColumns } from '../../api/segments/conditions.ts'
import { Subscriber } from '../../api/subscribers/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { choiceInput } from '../choice/schema.ts'

export const TableSort = Type.Object({
  /** A column of subscribers, or the id of a custom field. */
  by: Type.Union([Type.Enum([...sortColumns]), Type.Integer()]),
  descending: Type.Boolean()
})

export const subscriberTableEndpoints = unlistedEndpoints({
  // A POST because the query may be long; it changes nothing.
  'POST /mailing_lists/:mailing_list_id/subscriber_table': {
    access: 'subscriber.read',
    params: MailingListParams,
    body: Type.Object({
      ...choiceInput,
      sort: withDefault(Nullable(TableSort), null),
      page: withDefault(Type.Integer({ minimum: 0 }), 0),
      per_page: withDefault(Type.Integer({ minimum: 1, maximum: 500 }), 100)
    }),
    answer: Type.Object({
      ...pagedEnvelope(Subscriber).properties,
      /** True if something changed since the rows were found: ask again a little later. */
      is_stale: Type.Boolean()
    })
  }
})
