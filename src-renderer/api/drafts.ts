import type { Given } from '../../src-main/http/endpoint.ts'
import type {
  Draft,
  draftEndpoints,
  DraftInput,
  DraftSummary
} from '../../src-main/workbench/drafts/endpoints.ts'
import { windowCalls } from './client.ts'

export type { Draft, DraftSummary }

const drafts = windowCalls<typeof draftEndpoints>()

/** Newest first. */
export function fetchDrafts(): Promise<DraftSummary[]> {
  return drafts.call('GET /drafts')
}

/** @returns null if there is none */
export function fetchDraft(name: string): Promise<Draft | null> {
  return drafts.call('GET /drafts/:name', { params: { name } })
}

export async function storeDraft(name: string, draft: Given<typeof DraftInput>): Promise<void> {
  await drafts.call('PUT /drafts/:name', { params: { name }, body: draft })
}

export async function discardDraft(name: string): Promise<void> {
  await drafts.call('DELETE /drafts/:name', { params: { name } })
}
