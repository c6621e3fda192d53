import { Type } from 'typebox'
import { unlistedEndpoints } from '../http/endpoint.ts'
import { envelope } from '../http/envelope.ts'
import {
  answers,
  CampaignThere,
  Conflict,
  ListMatch,
  Refusal,
  Remote,
  RemoteChanges,
  RemoteInput,
  sides,
  SyncRun,
  Verification
} from './schema.ts'

// A remote gets everything of the organization, so its administrators alone decide about one.
const access = 'organization_admin'

const RemoteParams = Type.Object({ id: Type.Integer() })
const Page = Type.Object({ page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })) })

export const syncEndpoints = unlistedEndpoints({
  'GET /remotes': { access, answer: envelope(Type.Array(Remote)) },

  'POST /remotes': { access, body: RemoteInput, answer: envelope(Remote) },

  'GET /remotes/:id': { access, params: RemoteParams, answer: envelope(Remote) },

  'PUT /remotes/:id': { access, params: RemoteParams, body: RemoteChanges, answer: envelope(Remote) },

  'DELETE /remotes/:id': { access, params: RemoteParams, answer: envelope(Type.Null()) },

  /** Shows what a run would do with each list. Stores nothing. */
  'POST /remotes/preview': { access, body: RemoteInput, answer: envelope(Type.Array(ListMatch)) },

  'POST /remotes/:id/run': { access, params: RemoteParams, answer: envelope(Remote) },

  'POST /remotes/:id/pause': { access, params: RemoteParams, answer: envelope(Remote) },

  'POST /remotes/:id/answer': {
    access,
    params: RemoteParams,
    body: Type.Object({ answer: Type.Enum([...answers]) }),
    answer: envelope(Remote)
  },

  'GET /remotes/:id/runs': { access, params: RemoteParams, answer: envelope(Type.Array(SyncRun)) },

  'GET /remotes/:id/refusals': {
    access,
    params: RemoteParams,
    query: Page,
    answer: envelope(Type.Array(Refusal))
  },

  'POST /remotes/:id/refusals/retry': { access, params: RemoteParams, answer: envelope(Remote) },

  'GET /remotes/:id/conflicts': {
    access,
    params: RemoteParams,
    query: Page,
    answer: envelope(Type.Array(Conflict))
  },

  'POST /remotes/:id/conflicts/:conflict_id/decide': {
    access,
    params: Type.Object({ ...RemoteParams.properties, conflict_id: Type.Integer() }),
    body: Type.Object({ keep: Type.Enum([...sides]) }),
    answer: envelope(Remote)
  },

  'GET /remotes/:id/campaigns': {
    access,
    params: RemoteParams,
    answer: envelope(Type.Array(CampaignThere))
  },

  /** Compares both sides completely, and changes nothing. It takes as long as reading all of the remote. */
  'POST /remotes/:id/verify': { access, params: RemoteParams, answer: envelope(Verification) }
})
