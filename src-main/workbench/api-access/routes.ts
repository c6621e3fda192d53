import type { Kysely } from 'kysely'
import { mkdir } from 'node:fs/promises'
import { apiKeysOf } from '../../api/accounts/queries.ts'
import type { Caller } from '../../http/caller.ts'
import { ok } from '../../http/envelope.ts'
import { organizationSeenBy, userById } from '../../api/users/queries.ts'
import type { Schema } from '../../database/schema.ts'
import { ApiError } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { uploadDirectoryOf } from '../../imports/source.ts'
import { formatOptionalTime, formatTime } from '../../base/times.ts'
import { apiAccessEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

/** The access of other programs to the API, for the page "API access". */
export const apiAccessRoutes = serveEndpoints(apiAccessEndpoints, ({ reader, writer, dataDirectory }) => ({
  'GET /api_access': async ({ caller, socket }) => {
    const uploadDirectory = uploadDirectoryOf(dataDirectory, caller.organizationId)
    // Created here: programs expect the folder that the page names to exist.
    await mkdir(uploadDirectory, { recursive: true })
    return ok({
      base_url: `http://127.0.0.1:${socket.localPort}`,
      organization: { id: caller.organizationId, name: caller.organizationName },
      upload_directory: uploadDirectory
    })
  },

  'POST /api_keys': async ({ caller, body: { name, user_id: userId = caller.userId } }) => {
    if (userId !== caller.userId) await requireMayMakeKeyFor(caller, userId, reader)
    const { organizationId } = caller
    return ok({
      api_key: await writer.run('accounts.createApiKey', {
        organizationId,
        userId,
        name: name.trim()
      })
    })
  },

  'GET /api_keys': async ({ caller }) => {
    const rows = await apiKeysOf(reader, caller.organizationId, keysSeenBy(caller))
    return ok(
      rows.map(({ id, name, userName, createdAt, lastUsedAt }) => ({
        id,
        name,
        user_name: userName,
        created_at: formatTime(createdAt, caller.timeZone),
        last_used_at: formatOptionalTime(lastUsedAt, caller.timeZone)
      }))
    )
  },

  'DELETE /api_keys/:id': async ({ caller, params }) => {
    const { organizationId } = caller
    await writer.run('accounts.revokeApiKey', {
      organizationId,
      userId: keysSeenBy(caller),
      mayRevokeSystemAdmins: caller.role === 'system_admin',
      id: params.id
    })
    return ok(null)
  }
}))

/**
 * A key does what its user may do, so only who may change the user makes one for them.
 * @throws ApiError not_found, not_authorized
 */
async function requireMayMakeKeyFor(caller: Caller, userId: number, reader: Kysely<Schema>): Promise<void> {
  const user = await userById(reader, organizationSeenBy(caller), userId)
  if (caller.role === 'standard' || (user.role === 'system_admin' && caller.role !== 'system_admin')) {
    throw new ApiError('not_authorized', refusal('keys_of_others'))
  }
}

/** Returns the user whose keys the caller may see; null = administrators see all of the organization. */
export function keysSeenBy({ role, userId }: Caller): number | null {
  return role === 'standard' ? userId : null
}
