import type { FastifyRequest } from 'fastify'
import { validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import type { Caller } from '../http/caller.ts'
import { ok } from '../http/envelope.ts'
import { serveEndpoints } from '../http/serve.ts'
import type { Credentials } from '../base/credentials.ts'
import { syncEndpoints } from './endpoints.ts'
import {
  campaignsThere,
  conflictsOf,
  presentRemote,
  presentRemotes,
  presentRun,
  refusalsOf,
  remoteById,
  type RemoteRow,
  remotesOf,
  runsOf,
  settingsOf
} from './queries.ts'
import type { LookInput } from './read-only-run.ts'
import { serverAddress } from '../http/server-address.ts'
import type { RemoteLook } from './remote-look.ts'
import type { RemoteInput } from './schema.ts'

declare module '../http/context.ts' {
  interface ApplicationContext {
    credentials: Credentials
    remoteLook: RemoteLook
  }
}

const toldRuns = 50
/** What people paste behind the address of a server. */
const apiPath = /\/ga\/api(?:\/v2)?$/

/** /app/v1/remotes: servers to which the organization is mirrored. */
export const syncRoutes = serveEndpoints(
  syncEndpoints,
  ({ reader, writer, credentials, remoteLook, dataDirectory }) => {
    const row = ({ organizationId }: Caller, id: number) => remoteById(reader, organizationId, id)
    const named = ({ organizationId }: Caller, id: number) => ({ organizationId, id })
    const answer = async (caller: Caller, id: number) =>
      ok(await presentRemote(reader, await row(caller, id), caller.timeZone))

    return {
      'GET /remotes': async ({ caller }) =>
        ok(await presentRemotes(reader, await remotesOf(reader, caller.organizationId), caller.timeZone)),

      'POST /remotes': async ({ caller, body }) => {
        const { name, base_url, organization_id, api_key, ...settings } = body
        const baseUrl = serverAddress(base_url, 'base_url', apiPath)
        const id = await writer.run('syncs.add', {
          organizationId: caller.organizationId,
          name: name?.trim() || new URL(baseUrl).host,
          baseUrl,
          remoteOrganizationId: organization_id,
          settings,
          credentialPlace: 'file'
        })
        const credentialPlace = await credentials.write(id, api_key.trim())
        await writer.run('syncs.change', { ...named(caller, id), settings: {}, credentialPlace })
        return answer(caller, id)
      },

      'GET /remotes/:id': ({ caller, params }) => answer(caller, params.id),

      'PUT /remotes/:id': async ({ caller, params, body }) => {
        const { name, api_key, ...settings } = body
        await row(caller, params.id)
        const credentialPlace =
          api_key === undefined ? undefined : await credentials.write(params.id, api_key.trim())
        await writer.run('syncs.change', {
          ...named(caller, params.id),
          ...(name !== undefined && { name: name.trim() }),
          settings,
          ...(credentialPlace && { credentialPlace })
        })
        return answer(caller, params.id)
      },

      'DELETE /remotes/:id': async ({ caller, params }) => {
        await row(caller, params.id)
        await writer.run('syncs.remove', named(caller, params.id))
        await credentials.remove(params.id)
        return ok(null)
      },

      'POST /remotes/preview': async ({ caller, body }) => ok(await remoteLook.preview(lookAt(caller, body))),

      'POST /remotes/:id/run': async ({ caller, params }) => {
        await writer.run('syncs.request', named(caller, params.id))
        return answer(caller, params.id)
      },

      'POST /remotes/:id/pause': async ({ caller, params }) => {
        await writer.run('syncs.pause', named(caller, params.id))
        return answer(caller, params.id)
      },

      'POST /remotes/:id/answer': async ({ caller, params, body }) => {
        await writer.run('syncs.answer', { ...named(caller, params.id), answer: body.answer })
        return answer(caller, params.id)
      },

      'GET /remotes/:id/runs': async ({ caller, params }) => {
        await row(caller, params.id)
        const runs = await runsOf(reader, params.id, toldRuns)
        return ok(runs.map((run) => presentRun(run, caller.timeZone)))
      },

      'GET /remotes/:id/refusals': async ({ caller, params, query }) => {
        await row(caller, params.id)
        return ok(await refusalsOf(reader, params.id, query.page ?? 0, caller.timeZone))
      },

      'POST /remotes/:id/refusals/retry': async ({ caller, params }) => {
        await writer.run('syncs.retryRefusals', named(caller, params.id))
        return answer(caller, params.id)
      },

      'GET /remotes/:id/conflicts': async ({ caller, params, query }) => {
        await row(caller, params.id)
        return ok(await conflictsOf(reader, params.id, query.page ?? 0, caller.timeZone))
      },

      'POST /remotes/:id/conflicts/:conflict_id/decide': async ({ caller, params, body }) => {
        await writer.run('syncs.decide', {
          ...named(caller, params.id),
          conflictId: params.conflict_id,
          keep: body.keep,
          timeZone: caller.timeZone
        })
        return answer(caller, params.id)
      },

      'GET /remotes/:id/campaigns': async ({ caller, params }) => {
        await row(caller, params.id)
        return ok(await campaignsThere(reader, params.id))
      },

      'POST /remotes/:id/verify': async (request) => {
        const { caller, params } = request
        const remote = await row(caller, params.id)
        const input = await readCached(caller, remote)
        return ok(await remoteLook.verify(input, whileAsked(request)))
      }
    }

    function lookAt(
      caller: Caller,
      { base_url, organization_id, api_key, name: _, ...settings }: RemoteInput
    ) {
      return {
        dataDirectory,
        remoteId: 0,
        organizationId: caller.organizationId,
        timeZone: caller.timeZone,
        baseUrl: serverAddress(base_url, 'base_url', apiPath),
        remoteOrganizationId: organization_id,
        apiKey: api_key.trim(),
        settings
      }
    }

    async function readCached(caller: Caller, remote: RemoteRow): Promise<LookInput> {
      const apiKey = await credentials.read(remote.id, remote.credential_place)
      if (apiKey === null) throw validationFailed(refusal('stored_key_missing'))
      return {
        dataDirectory,
        remoteId: remote.id,
        organizationId: remote.organization_id,
        timeZone: caller.timeZone,
        baseUrl: remote.base_url,
        remoteOrganizationId: remote.remote_organization_id,
        apiKey,
        settings: settingsOf(remote)
      }
    }
  }
)

function whileAsked({ raw }: FastifyRequest): AbortSignal {
  const controller = new AbortController()
  raw.on('close', () => {
    if (raw.destroyed && !raw.complete) controller.abort()
  })
  raw.socket.on('close', () => controller.abort())
  return controller.signal
}
