import { ok } from '../../http/envelope.ts'
import { organizationById } from '../organizations/queries.ts'
import { subscriberCounts } from './queries.ts'
import { subscriberCountEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

export const subscriberCountRoutes = serveEndpoints(subscriberCountEndpoints, ({ reader }) => ({
  'GET /subscriber_counts': async ({ caller: { organizationId: id, organizationName: name } }) =>
    ok(await subscriberCounts(reader, { id, name })),

  'GET /organization/:organization_id/subscriber_counts': async ({ params }) =>
    ok(await subscriberCounts(reader, await organizationById(reader, params.organization_id)))
}))
