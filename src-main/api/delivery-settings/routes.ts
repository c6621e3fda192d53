import { storeSecretOf } from '../../base/credentials.ts'
import { notFound } from '../../base/errors.ts'
import { ok } from '../../http/envelope.ts'
import {
  bounceAddress,
  bounceEmailId,
  type BounceEmailRow,
  bounceEmailsOf,
  presentUrlDomain,
  urlDomainsOf,
  virtualMtasOf
} from './queries.ts'
import { BounceEmail } from './schema.ts'
import { deliverySettingEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

export const deliverySettingRoutes = serveEndpoints(
  deliverySettingEndpoints,
  ({ reader, writer, credentials }) => ({
    'GET /virtual_mtas': async ({ caller }) => ok(await virtualMtasOf(reader, caller.organizationId)),

    'POST /virtual_mtas': async ({ caller: { organizationId }, body }) =>
      ok(await writer.run('deliverySettings.createVirtualMta', { organizationId, input: body.virtual_mta })),

    'DELETE /virtual_mtas/:id': async ({ caller: { organizationId }, params }) => {
      await writer.run('deliverySettings.deleteVirtualMta', { organizationId, id: params.id })
      return ok(null)
    },

    'GET /url_domains': async ({ caller: { organizationId, timeZone } }) =>
      ok((await urlDomainsOf(reader, organizationId)).map((row) => presentUrlDomain(row, timeZone))),

    'POST /url_domains': async ({ caller: { organizationId, timeZone }, body }) => {
      const { secret, ...input } = body.url_domain
      const row = await writer.run('deliverySettings.createUrlDomain', { organizationId, input })
      const named = { organizationId, id: row.id }
      const key = row.address === null ? undefined : secret?.trim()
      const stored = await storeSecretOf(credentials, `gate-${row.id}`, row, key, (credentialPlace) =>
        writer.run('deliverySettings.updateGate', { ...named, credentialPlace })
      )
      return ok(presentUrlDomain(stored, timeZone))
    },

    'PUT /url_domains/:id': async ({ caller: { organizationId, timeZone }, params: { id }, body }) => {
      const { secret, ...changes } = body.url_domain
      const row = await writer.run('deliverySettings.updateGate', { organizationId, id, ...changes })
      const stored = await storeSecretOf(credentials, `gate-${id}`, row, secret?.trim(), (credentialPlace) =>
        writer.run('deliverySettings.updateGate', { organizationId, id, credentialPlace })
      )
      return ok(presentUrlDomain(stored, timeZone))
    },

    'DELETE /url_domains/:id': async ({ caller: { organizationId }, params }) => {
      await writer.run('deliverySettings.deleteUrlDomain', { organizationId, id: params.id })
      await credentials.remove(`gate-${params.id}`)
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
    }
  })
)

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
