import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { fieldsOfList } from '../api/custom-fields/queries.ts'
import { envelope, ok } from '../http/envelope.ts'
import { mailingListById } from '../api/mailing-lists/queries.ts'
import { MailingListParams } from '../http/schema.ts'
import { presentSubscriber, subscribersByBeginning } from '../api/subscribers/queries.ts'
import { Subscriber } from '../api/subscribers/schema.ts'

/** Most subscribers that a search answers. */
const maxFound = 100

/** GET /app/v1/mailing_lists/:id/search?beginning=: subscribers whose email begins so, by the index on emails. */
export const subscriberSearchRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader } = app.context
  app.get(
    '/mailing_lists/:mailing_list_id/search',
    {
      config: { access: 'subscriber.read' },
      schema: {
        hide: true,
        params: MailingListParams,
        querystring: Type.Object({ beginning: Type.String({ minLength: 1 }) }),
        response: { 200: envelope(Type.Array(Subscriber)) }
      }
    },
    async ({ caller, params, query }) => {
      const list = await mailingListById(reader, caller.organizationId, params.mailing_list_id)
      const fields = await fieldsOfList(reader, caller.organizationId, list.id)
      const rows = await subscribersByBeginning(reader, list, query.beginning, maxFound)
      return ok(rows.map((row) => presentSubscriber(row, list, fields, caller.timeZone)))
    }
  )
}
