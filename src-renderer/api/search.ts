import type { Found, searchEndpoints } from '../../src-main/workbench/search/endpoints.ts'
import { windowCalls } from './client.ts'

const { call } = windowCalls<typeof searchEndpoints>()

/** Finds records by a text. */
export function search(text: string, signal: AbortSignal): Promise<Found> {
  return call('GET /search', { query: { text }, signal })
}
