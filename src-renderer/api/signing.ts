import type { dkimKeyEndpoints } from '../../src-main/api/dkim-keys/endpoints.ts'
import type { DkimKey, DkimKeyInput } from '../../src-main/api/dkim-keys/schema.ts'
import type { preflightEndpoints, PreflightFinding } from '../../src-main/delivery/endpoints.ts'
import { apiCalls } from './client.ts'

export type { DkimKey, PreflightFinding }

const keys = apiCalls<typeof dkimKeyEndpoints>()
const checks = apiCalls<typeof preflightEndpoints>()

/** A sender, and how its messages go. */
export interface PreflightQuestion {
  from_email: string
  /** 0 = the system default route. */
  virtual_mta_id: number
  /** Default: the sender. */
  return_path?: string
}

export function fetchDkimKeys(): Promise<DkimKey[]> {
  return keys.call('GET /dkim_keys')
}

export function createDkimKey(key: DkimKeyInput): Promise<DkimKey> {
  return keys.call('POST /dkim_keys', { body: { dkim_key: key } })
}

export function enableDkimKey(id: number, is_enabled: boolean): Promise<DkimKey> {
  return keys.call('PUT /dkim_keys/:id', { params: { id }, body: { dkim_key: { is_enabled } } })
}

export async function deleteDkimKey(id: number): Promise<void> {
  await keys.call('DELETE /dkim_keys/:id', { params: { id } })
}

export function checkDkimRecord(id: number): Promise<PreflightFinding> {
  return checks.call('GET /dkim_keys/:id/record', { params: { id } })
}

export function fetchPreflight(question: PreflightQuestion): Promise<PreflightFinding[]> {
  return checks.call('GET /preflight', { query: { ...question } })
}
