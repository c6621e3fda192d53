import { formatTime } from '../../base/times.ts'
import type { Caller } from '../../http/caller.ts'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { draftEndpoints } from './endpoints.ts'
import { draftNamed, draftsOf } from './queries.ts'

/** /app/v1/drafts: what people have written in the window and not saved yet. */
export const draftRoutes = serveEndpoints(draftEndpoints, ({ reader, writer }) => {
  const keyOf = ({ userId, organizationId }: Caller, name: string) => ({ userId, organizationId, name })
  return {
    'GET /drafts': async ({ caller }) => {
      const drafts = await draftsOf(reader, caller)
      return ok(
        drafts.map((draft) => ({ ...draft, updated_at: formatTime(draft.updated_at, caller.timeZone) }))
      )
    },

    'GET /drafts/:name': async ({ caller, params }) => {
      const draft = await draftNamed(reader, caller, params.name)
      return ok(draft ? { ...draft, updated_at: formatTime(draft.updated_at, caller.timeZone) } : null)
    },

    'PUT /drafts/:name': async ({ caller, params, body }) => {
      await writer.run('drafts.save', { ...keyOf(caller, params.name), ...body })
      return ok(null)
    },

    'DELETE /drafts/:name': async ({ caller, params }) => {
      await writer.run('drafts.delete', keyOf(caller, params.name))
      return ok(null)
    }
  }
})
