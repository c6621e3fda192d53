import { ok } from '../http/envelope.ts'
import { hasPermission } from '../http/permissions.ts'
import { serve } from '../http/serve.ts'
import { searchEndpoints } from './endpoints/search.ts'
import { campaignsHolding, importsHolding, subscribersBeginning } from './search-queries.ts'

/** /app/v1/search: what has a name or an address, wherever it is. */
export const searchRoutes = serve(searchEndpoints, ({ reader }) => ({
  'GET /search': async ({ caller, query }) => {
    const { organizationId } = caller
    const text = query.text.trim()
    return ok({
      subscribers: hasPermission(caller, 'subscriber.read')
        ? await subscribersBeginning(reader, organizationId, text)
        : [],
      campaigns: await campaignsHolding(reader, organizationId, text),
      imports: hasPermission(caller, 'subscriber.import')
        ? await importsHolding(reader, organizationId, text)
        : []
    })
  }
}))
