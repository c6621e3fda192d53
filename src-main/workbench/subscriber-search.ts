import { fieldsOfList } from '../api/custom-fields/queries.ts'
import { ok } from '../http/envelope.ts'
import { mailingListById } from '../api/mailing-lists/queries.ts'
import { presentSubscriber, subscribersByBeginning } from '../api/subscribers/queries.ts'
import { subscriberSearchEndpoints } from './endpoints/subscriber-search.ts'
import { serve } from '../http/serve.ts'

/** Most subscribers that a search answers. */
const maxFound = 100

/** GET /app/v1/mailing_lists/:id/search?beginning=: subscribers whose email begins so, by the index on emails. */
export const subscriberSearchRoutes = serve(subscriberSearchEndpoints, ({ reader }) => ({
  'GET /mailing_lists/:mailing_list_id/search': async ({ caller, params, query }) => {
    const list = await mailingListById(reader, caller.organizationId, params.mailing_list_id)
    const fields = await fieldsOfList(reader, caller.organizationId, list.id)
    const rows = await subscribersByBeginning(reader, list, query.beginning, maxFound)
    return ok(rows.map((row) => presentSubscriber(row, list, fields, caller.timeZone)))
  }
}))
