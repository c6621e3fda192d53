import type { IntegrityAnswer, integrityEndpoints } from '../../src-main/integrity/endpoints.ts'
import { windowCalls } from './client.ts'

export type { IntegrityAnswer }

const integrity = windowCalls<typeof integrityEndpoints>()

/** Whether the database is what was written to it. */
export function fetchIntegrity(): Promise<IntegrityAnswer> {
  return integrity.call('GET /integrity')
}

/** Takes it for right as it is. */
export async function acceptData(): Promise<void> {
  await integrity.call('POST /integrity/accept')
}
