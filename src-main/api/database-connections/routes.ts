import { realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { storeSecretOf } from '../../base/credentials.ts'
import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { ok } from '../../http/envelope.ts'
import { signalOf } from '../../http/caller-signal.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { databaseConnectionEndpoints } from './endpoints.ts'
import {
  databaseConnectionById,
  type DatabaseConnectionRow,
  databaseConnections,
  presentConnection,
  targetOf
} from './queries.ts'

/** Resolves the links in a path, of which the last parts need not be there yet. */
async function resolved(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null)
  if (real !== null || dirname(path) === path) return real ?? path
  return join(await resolved(dirname(path)), basename(path))
}

type Place = Pick<DatabaseConnectionRow, 'engine' | 'database'>

/**
 * Keeps the keys and the sessions of the application out of reach of a query.
 * @throws ApiError validation_failed for a file in the data directory
 */
async function refuseOwnData(dataDirectory: string, { engine, database }: Place): Promise<void> {
  const path = database.trim()
  if (engine !== 'sqlite' || !isAbsolute(path) || path.includes('\0')) return
  const within = relative(await realpath(dataDirectory), await resolved(path))
  if (within.split(sep)[0] !== '..' && !isAbsolute(within))
    throw validationFailed(refusal('database_own_data', { field: 'database' }))
}

export const databaseConnectionRoutes = serveEndpoints(
  databaseConnectionEndpoints,
  ({ dataDirectory, reader, writer, credentials, remoteDatabases }) => ({
    'GET /database_connections': async ({ caller: { timeZone } }) =>
      ok((await databaseConnections(reader)).map((row) => presentConnection(row, timeZone))),

    'GET /database_connections/:id': async ({ caller: { timeZone }, params: { id } }) =>
      ok(presentConnection(await databaseConnectionById(reader, id), timeZone)),

    'POST /database_connections': async ({ caller: { timeZone }, body }) => {
      const { secret, ...settings } = body.database_connection
      await refuseOwnData(dataDirectory, settings)
      const row = await writer.run('databaseConnections.create', { settings })
      const { id } = row
      const stored = await storeSecretOf(credentials, `database-${id}`, row, secret, (credentialPlace) =>
        writer.run('databaseConnections.update', { id, changes: {}, credentialPlace })
      )
      return ok(presentConnection(stored, timeZone))
    },

    'PUT /database_connections/:id': async ({ caller: { timeZone }, params: { id }, body }) => {
      const { secret, ...changes } = body.database_connection
      await refuseOwnData(dataDirectory, { ...(await databaseConnectionById(reader, id)), ...changes })
      const row = await writer.run('databaseConnections.update', { id, changes })
      const stored = await storeSecretOf(credentials, `database-${id}`, row, secret, (credentialPlace) =>
        writer.run('databaseConnections.update', { id, changes: {}, credentialPlace })
      )
      return ok(presentConnection(stored, timeZone))
    },

    'POST /database_connections/:id/test': async ({ params: { id } }, reply) => {
      const signal = signalOf(reply)
      const target = await targetOf(await databaseConnectionById(reader, id), credentials)
      return ok(await remoteDatabases.test(target, signal))
    },

    'DELETE /database_connections/:id': async ({ params: { id } }) => {
      await writer.run('databaseConnections.delete', { id })
      await credentials.remove(`database-${id}`)
      return ok(null)
    }
  })
)
