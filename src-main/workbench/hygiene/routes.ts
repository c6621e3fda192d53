import { localListById } from '../../api/mailing-lists/queries.ts'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { signalOf } from '../../http/caller-signal.ts'
import { hygieneEndpoints } from './endpoints.ts'

export const hygieneRoutes = serveEndpoints(hygieneEndpoints, ({ reader, segments }) => ({
  'GET /mailing_lists/:mailing_list_id/domains': async ({ caller, params }, reply) => {
    const { id } = await localListById(reader, caller.organizationId, params.mailing_list_id, 'subscribers')
    return ok(await segments.domains(id, signalOf(reply)))
  }
}))
