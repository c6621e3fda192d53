import { storeSecretOf } from '../../base/credentials.ts'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { databaseConnectionEndpoints } from './endpoints.ts'
import { databaseConnectionById, databaseConnections, presentConnection, targetOf } from './queries.ts'

export const databaseConnectionRoutes = serveEndpoints(
  databaseConnectionEndpoints,
  ({ reader, writer, credentials, remoteDatabases }) => ({
    'GET /database_connections': async ({ caller: { timeZone } }) =>
      ok((await databaseConnections(reader)).map((row) => presentConnection(row, timeZone))),

    'GET /database_connections/:id': async ({ caller: { timeZone }, params: { id } }) =>
      ok(presentConnection(await databaseConnectionById(reader, id), timeZone)),

    'POST /database_connections': async ({ caller: { timeZone }, body }) => {
      const { secret, ...settings } = body.database_connection
      const row = await writer.run('databaseConnections.create', { settings })
      const { id } = row
      const stored = await storeSecretOf(credentials, `database-${id}`, row, secret, (credentialPlace) =>
        writer.run('databaseConnections.update', { id, changes: {}, credentialPlace })
      )
      return ok(presentConnection(stored, timeZone))
    },

    'PUT /database_connections/:id': async ({ caller: { timeZone }, params: { id }, body }) => {
      const { secret, ...changes } = body.database_connection
      const row = await writer.run('databaseConnections.update', { id, changes })
      const stored = await storeSecretOf(credentials, `database-${id}`, row, secret, (credentialPlace) =>
        writer.run('databaseConnections.update', { id, changes: {}, credentialPlace })
      )
      return ok(presentConnection(stored, timeZone))
    },

    'POST /database_connections/:id/test': async ({ params: { id } }, reply) => {
      const stop = new AbortController()
      reply.raw.once('close', () => stop.abort())
      const target = await targetOf(await databaseConnectionById(reader, id), credentials)
      return ok(await remoteDatabases.test(target, stop.signal))
    },

    'DELETE /database_connections/:id': async ({ params: { id } }) => {
      await writer.run('databaseConnections.delete', { id })
      await credentials.remove(`database-${id}`)
      return ok(null)
    }
  })
)
