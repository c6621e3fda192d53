import { type Static, Type } from 'typebox'
import { unlistedEndpoints } from '../http/endpoint.ts'
import { envelope } from '../http/envelope.ts'
import { integrityStates } from './schema.ts'

const IntegrityAnswer = Type.Object({
  state: Type.Enum([...integrityStates]),
  /** Sentences. */
  faults: Type.Array(Type.String())
})
export type IntegrityAnswer = Static<typeof IntegrityAnswer>

export const integrityEndpoints = unlistedEndpoints({
  // Everyone who works with the data should know when it cannot be trusted.
  'GET /integrity': { access: 'signed_in', answer: envelope(IntegrityAnswer) },
  'POST /integrity/accept': { access: 'system_admin', answer: envelope(IntegrityAnswer) }
})
