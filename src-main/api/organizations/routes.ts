import { ok } from '../../http/envelope.ts'
import { organizationById, organizations, presentOrganization } from './queries.ts'
import { organizationEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

export const organizationRoutes = serveEndpoints(organizationEndpoints, ({ reader, writer }) => ({
  'GET /organizations': async () => ok((await organizations(reader)).map(presentOrganization)),

  'GET /organizations/:id': async ({ params }) =>
    ok(presentOrganization(await organizationById(reader, params.id))),

  'POST /organizations': async ({ body }) =>
    ok(presentOrganization(await writer.run('organizations.create', body.organization))),

  'PUT /organizations/:id': async ({ params, body }) => {
    const row = await writer.run('organizations.update', { id: params.id, changes: body.organization })
    return ok(presentOrganization(row))
  }
}))
