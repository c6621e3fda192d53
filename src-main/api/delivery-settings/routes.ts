import { notFound } from '../../base/errors.ts'
import { ok } from '../../http/envelope.ts'
import {
  bounceAddress,
  bounceEmailId,
  type BounceEmailRow,
  bounceEmailsOf,
  databaseConnections,
  urlDomainsOf,
  virtualMtasOf
} from './queries.ts'
import { BounceEmail } from './schema.ts'
import { deliverySettingEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

export const deliverySettingRoutes = serveEndpoints(deliverySettingEndpoints, ({ reader, writer }) => ({
  'GET /virtual_mtas': async ({ caller }) => ok(await virtualMtasOf(reader, caller.organizationId)),

  'POST /virtual_mtas': async ({ caller: { organizationId }, body }) =>
    ok(await writer.run('deliverySettings.createVirtualMta', { organizationId, input: body.virtual_mta })),

  'DELETE /virtual_mtas/:id': async ({ caller: { organizationId }, params }) => {
    await writer.run('deliverySettings.deleteVirtualMta', { organizationId, id: params.id })
    return ok(null)
  },

  'GET /url_domains': async ({ caller }) => ok(await urlDomainsOf(reader, caller.organizationId)),

  'POST /url_domains': async ({ caller: { organizationId }, body }) =>
    ok(await writer.run('deliverySettings.createUrlDomain', { organizationId, input: body.url_domain })),

  'DELETE /url_domains/:id': async ({ caller: { organizationId }, params }) => {
    await writer.run('deliverySettings.deleteUrlDomain', { organizationId, id: params.id })
    return ok(null)
  },

  'GET /bounce_emails': async ({ caller }) =>
    ok((await bounceEmailsOf(reader, caller.organizationId)).map(presentBounceEmail)),

  'POST /bounce_emails': async ({ caller: { organizationId }, body }) =>
    ok(
      presentBounceEmail(
        await writer.run('deliverySettings.createBounceEmail', { organizationId, input: body.bounce_email })
      )
    ),

  'PUT /bounce_emails/:id': async ({ caller: { organizationId }, params, body }) => {
    const named = { organizationId, ...bounceEmailKey(params.id) }
    const { plus_addressing: plusAddressing } = body.bounce_email
    const row = await writer.run('deliverySettings.updateBounceEmail', { ...named, plusAddressing })
    return ok(presentBounceEmail(row))
  },

  'DELETE /bounce_emails/:id': async ({ caller: { organizationId }, params }) => {
    await writer.run('deliverySettings.deleteBounceEmail', { organizationId, ...bounceEmailKey(params.id) })
    return ok(null)
  },

  'GET /database_connections': async () => ok(await databaseConnections(reader)),

  'POST /database_connections': async ({ body }) =>
    ok(await writer.run('deliverySettings.createDatabaseConnection', body.database_connection)),

  'DELETE /database_connections/:id': async ({ params }) => {
    await writer.run('deliverySettings.deleteDatabaseConnection', { id: params.id })
    return ok(null)
  }
}))

/** @throws ApiError not_found */
function bounceEmailKey(text: string): { id: number; domainId: number } {
  const [, id, domainId] = /^(\d{1,15})@(\d{1,15})$/.exec(text) ?? []
  if (id === undefined) throw notFound('bounce email', text)
  return { id: Number(id), domainId: Number(domainId) }
}

function presentBounceEmail(row: BounceEmailRow): BounceEmail {
  return {
    id: bounceEmailId(row),
    username: row.username,
    domain: row.domain,
    email: bounceAddress(row),
    plus_addressing: row.plusAddressing === 1
  }
}
