import { ok } from '../../http/envelope.ts'
import { hasPermission } from '../../http/access.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { signalOf } from '../../http/caller-signal.ts'
import { searchEndpoints } from './endpoints.ts'

/** /app/v1/search: what has a name or an address, wherever it is. */
export const searchRoutes = serveEndpoints(searchEndpoints, ({ segments }) => ({
  'GET /search': async ({ caller, query }, reply) => {
    const sought = {
      organizationId: caller.organizationId,
      text: query.text.trim(),
      maySee: {
        subscribers: hasPermission(caller, 'subscriber.read'),
        imports: hasPermission(caller, 'subscriber.import')
      }
    }
    return ok(await segments.search(sought, signalOf(reply)))
  }
}))
