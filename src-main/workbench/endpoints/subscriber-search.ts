import { Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { MailingListParams } from '../../http/schema.ts'
import { Subscriber } from '../../api/subscribers/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

export const subscriberSearchEndpoints = unlistedEndpoints({
  'GET /mailing_lists/:mailing_list_id/search': {
    access: 'subscriber.read',
    params: MailingListParams,
    query: Type.Object({ beginning: Type.String({ minLength: 1 }) }),
    answer: envelope(Type.Array(Subscriber))
  }
})
