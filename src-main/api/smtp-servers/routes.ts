import { type Credentials, storeSecretOf } from '../../base/credentials.ts'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { smtpServerEndpoints } from './endpoints.ts'
import {
  deliveryOptionsOf,
  deliveryRouteById,
  deliveryRoutesOf,
  presentSmtpServer,
  smtpServerById,
  smtpServersOf
} from './queries.ts'

declare module '../../http/context.ts' {
  interface ApplicationContext {
    credentials: Credentials
  }
}

export const smtpServerRoutes = serveEndpoints(smtpServerEndpoints, ({ reader, writer, credentials }) => ({
  'GET /smtp_servers': async ({ caller }) => {
    const rows = await smtpServersOf(reader, caller.organizationId)
    return ok(rows.map((row) => presentSmtpServer(row, caller.timeZone)))
  },

  'GET /smtp_servers/:id': async ({ caller, params }) =>
    ok(presentSmtpServer(await smtpServerById(reader, caller.organizationId, params.id), caller.timeZone)),

  'POST /smtp_servers': async ({ caller: { organizationId, timeZone }, body }) => {
    const { secret, ...settings } = body.smtp_server
    const row = await writer.run('smtpServers.create', { organizationId, settings })
    const named = { organizationId, id: row.id }
    const stored = await storeSecretOf(credentials, `smtp-${row.id}`, row, secret, (credentialPlace) =>
      writer.run('smtpServers.update', { ...named, changes: {}, credentialPlace })
    )
    return ok(presentSmtpServer(stored, timeZone))
  },

  'PUT /smtp_servers/:id': async ({ caller: { organizationId, timeZone }, params: { id }, body }) => {
    const { secret, ...changes } = body.smtp_server
    const named = { organizationId, id }
    const row = await writer.run('smtpServers.update', { ...named, changes })
    const stored = await storeSecretOf(credentials, `smtp-${id}`, row, secret, (credentialPlace) =>
      writer.run('smtpServers.update', { ...named, changes: {}, credentialPlace })
    )
    return ok(presentSmtpServer(stored, timeZone))
  },

  'DELETE /smtp_servers/:id': async ({ caller: { organizationId }, params: { id } }) => {
    await writer.run('smtpServers.delete', { organizationId, id })
    await credentials.remove(`smtp-${id}`)
    return ok(null)
  },

  'GET /delivery_routes': async ({ caller }) => ok(await deliveryRoutesOf(reader, caller.organizationId)),

  'PUT /delivery_routes/:id': async ({ caller: { organizationId }, params: { id }, body }) => {
    const smtpServerIds = body.delivery_route.smtp_server_ids
    await writer.run('smtpServers.changeRoute', { organizationId, virtualMtaId: id, smtpServerIds })
    return ok(await deliveryRouteById(reader, organizationId, id))
  },

  'GET /delivery_options': async ({ caller }) => ok(await deliveryOptionsOf(reader, caller.organizationId)),

  'PUT /delivery_options': async ({ caller: { organizationId }, body }) => {
    await writer.run('smtpServers.changeOptions', { organizationId, options: body.delivery_options })
    return ok(await deliveryOptionsOf(reader, organizationId))
  }
}))
