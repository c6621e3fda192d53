import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { apiKeysOf, type Caller } from '../api/accounts/queries.ts'
import { envelope, ok } from '../api/envelope.ts'
import { Filled, IdParams, Nullable, Timestamp } from '../api/schema.ts'
import { formatOptionalTime, formatTime } from '../times.ts'

const Access = Type.Object({
  base_url: Type.String(),
  organization: Type.Object({ id: Type.Integer(), name: Type.String() }),
  upload_directory: Type.String()
})
export type ApiAccess = Static<typeof Access>

const ApiKey = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  user_name: Type.String(),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp)
})
export type ApiKey = Static<typeof ApiKey>

/** How other programs reach the API: shown on the window's page "API access". */
export const apiAccessRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/api_access',
    { config: { access: 'signed_in' }, schema: { hide: true, response: { 200: envelope(Access) } } },
    async ({ caller, socket }) =>
      ok({
        base_url: `http://127.0.0.1:${socket.localPort}`,
        organization: { id: caller.organizationId, name: caller.organizationName },
        upload_directory: app.context.uploadDirectory
      })
  )

  app.post(
    '/api_keys',
    {
      config: { access: 'signed_in' },
      schema: {
        hide: true,
        body: Type.Object({ name: Filled({ maxLength: 100 }) }),
        response: { 200: envelope(Type.Object({ api_key: Type.String() })) }
      }
    },
    async ({ caller, body }) =>
      ok({
        api_key: await app.context.writer.run('createApiKey', {
          organizationId: caller.organizationId,
          userId: caller.userId,
          name: body.name.trim()
        })
      })
  )

  app.get(
    '/api_keys',
    {
      config: { access: 'signed_in' },
      schema: { hide: true, response: { 200: envelope(Type.Array(ApiKey)) } }
    },
    async ({ caller }) => {
      const rows = await apiKeysOf(app.context.reader, caller.organizationId, keysSeenBy(caller))
      return ok(
        rows.map(({ id, name, userName, createdAt, lastUsedAt }) => ({
          id,
          name,
          user_name: userName,
          created_at: formatTime(createdAt, caller.timeZone),
          last_used_at: formatOptionalTime(lastUsedAt, caller.timeZone)
        }))
      )
    }
  )

  app.delete(
    '/api_keys/:id',
    {
      config: { access: 'signed_in' },
      schema: { hide: true, params: IdParams, response: { 200: envelope(Type.Null()) } }
    },
    async ({ caller, params }) => {
      const { organizationId } = caller
      await app.context.writer.run('revokeApiKey', {
        organizationId,
        userId: keysSeenBy(caller),
        id: params.id
      })
      return ok(null)
    }
  )
}

/** Administrators see the keys of everybody in the organization, others their own. @returns the user; null = everybody */
function keysSeenBy({ role, userId }: Caller): number | null {
  return role === 'standard' ? userId : null
}
