import type { IntegrityAnswer, integrityEndpoints } from '../../src-main/integrity/endpoints.ts'
import { windowCalls } from './client.ts'

export type { IntegrityAnswer }

const integrity = windowCalls<typeof integrityEndpoints>()

/** The integrity of the database, as the server reports it. */
export function fetchIntegrity(): Promise<IntegrityAnswer> {
  return integrity.call('GET /integrity')
}

export async function acceptData(): Promise<void> {
  await integrity.call('POST /integrity/accept')
}
