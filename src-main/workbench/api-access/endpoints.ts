import { type Static, Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { Filled, IdParams, Nullable, Timestamp } from '../../http/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

const ApiAccess = Type.Object({
  base_url: Type.String(),
  organization: Type.Object({ id: Type.Integer(), name: Type.String() }),
  upload_directory: Type.String()
})
export type ApiAccess = Static<typeof ApiAccess>

const ApiKeyInput = Type.Object({
  name: Filled({ maxLength: 100 }),
  /** The key's user; the caller by default. */
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

export const apiAccessEndpoints = unlistedEndpoints({
  'GET /api_access': { access: 'signed_in', answer: envelope(ApiAccess) },

  'POST /api_keys': {
    access: 'signed_in',
    body: ApiKeyInput,
    answer: envelope(Type.Object({ api_key: Type.String() }))
  },

  'GET /api_keys': { access: 'signed_in', answer: envelope(Type.Array(ApiKey)) },

  'DELETE /api_keys/:id': { access: 'signed_in', params: IdParams, answer: envelope(Type.Null()) }
})
