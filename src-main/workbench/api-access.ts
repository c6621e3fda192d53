import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Kysely } from 'kysely'
import { mkdir } from 'node:fs/promises'
import { type Static, Type } from 'typebox'
import { apiKeysOf } from '../api/accounts/queries.ts'
import type { Caller } from '../http/caller.ts'
import { envelope, ok } from '../http/envelope.ts'
import { Filled, IdParams, Nullable, Timestamp } from '../http/schema.ts'
import { organizationSeenBy, userById } from '../api/users/queries.ts'
import type { Schema } from '../database/schema.ts'
import { ApiError } from '../base/errors.ts'
import { uploadDirectoryOf } from '../imports/source.ts'
import { formatOptionalTime, formatTime } from '../base/times.ts'

const Access = Type.Object({
  base_url: Type.String(),
  organization: Type.Object({ id: Type.Integer(), name: Type.String() }),
  upload_directory: Type.String()
})
export type ApiAccess = Static<typeof Access>

const ApiKeyInput = Type.Object({
  name: Filled({ maxLength: 100 }),
  /** Whose key it is; the caller's own when left out. */
  user_id: Type.Optional(Type.Integer())
})
export type ApiKeyInput = Static<typeof ApiKeyInput>

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
    async ({ caller, socket }) => {
      const uploadDirectory = uploadDirectoryOf(app.context.dataDirectory, caller.organizationId)
      // It is there for whoever is told of it.
      await mkdir(uploadDirectory, { recursive: true })
      return ok({
        base_url: `http://127.0.0.1:${socket.localPort}`,
        organization: { id: caller.organizationId, name: caller.organizationName },
        upload_directory: uploadDirectory
      })
    }
  )

  app.post(
    '/api_keys',
    {
      config: { access: 'signed_in' },
      schema: {
        hide: true,
        body: ApiKeyInput,
        response: { 200: envelope(Type.Object({ api_key: Type.String() })) }
      }
    },
    async ({ caller, body: { name, user_id: userId = caller.userId } }) => {
      if (userId !== caller.userId) await requireMayMakeKeyFor(caller, userId, app.context.reader)
      const { organizationId } = caller
      return ok({
        api_key: await app.context.writer.run('accounts.createApiKey', {
          organizationId,
          userId,
          name: name.trim()
        })
      })
    }
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
      await app.context.writer.run('accounts.revokeApiKey', {
        organizationId,
        userId: keysSeenBy(caller),
        mayRevokeSystemAdmins: caller.role === 'system_admin',
        id: params.id
      })
      return ok(null)
    }
  )
}

/**
 * A key does what its user may do, so only who may change the user makes one for them.
 * @throws ApiError not_found, not_authorized
 */
async function requireMayMakeKeyFor(caller: Caller, userId: number, reader: Kysely<Schema>): Promise<void> {
  const user = await userById(reader, organizationSeenBy(caller), userId)
  if (caller.role === 'standard' || (user.role === 'system_admin' && caller.role !== 'system_admin')) {
    throw new ApiError('not_authorized', 'only those who may change a user may make API keys for them')
  }
}

/** Administrators see the keys of everybody in the organization, others their own. @returns the user; null = everybody */
function keysSeenBy({ role, userId }: Caller): number | null {
  return role === 'standard' ? userId : null
}
