import type { syncEndpoints } from '../../src-main/sync/endpoints.ts'
import type {
  Answer,
  CampaignThere,
  Conflict,
  Difference,
  LinkedKind,
  ListMatch,
  Refusal,
  Remote,
  RemoteChanges,
  RemoteInput,
  RemoteSettings,
  Side,
  SyncRun,
  Verification
} from '../../src-main/sync/schema.ts'
import { type RecordVersion, windowCalls } from './client.ts'

export type {
  Answer,
  CampaignThere,
  Conflict,
  Difference,
  LinkedKind,
  ListMatch,
  Refusal,
  Remote,
  RemoteInput,
  RemoteSettings,
  Side,
  SyncRun,
  Verification
}

const { call } = windowCalls<typeof syncEndpoints>()

export function fetchRemotes(): Promise<Remote[]> {
  return call('GET /remotes')
}

export function previewRemote(remote: RemoteInput): Promise<ListMatch[]> {
  return call('POST /remotes/preview', { body: remote })
}

export function addRemote(remote: RemoteInput): Promise<Remote> {
  return call('POST /remotes', { body: remote })
}

export function fetchRemote(id: number, version?: RecordVersion): Promise<Remote> {
  return call('GET /remotes/:id', { params: { id }, version })
}

export function changeRemote(id: number, changes: RemoteChanges, version?: RecordVersion): Promise<Remote> {
  return call('PUT /remotes/:id', { params: { id }, body: changes, version })
}

export async function removeRemote(id: number): Promise<void> {
  await call('DELETE /remotes/:id', { params: { id } })
}

export function runRemote(id: number): Promise<Remote> {
  return call('POST /remotes/:id/run', { params: { id } })
}

export function pauseRemote(id: number): Promise<Remote> {
  return call('POST /remotes/:id/pause', { params: { id } })
}

export function answerRemote(id: number, answer: Answer): Promise<Remote> {
  return call('POST /remotes/:id/answer', { params: { id }, body: { answer } })
}

export function verifyRemote(id: number): Promise<Verification> {
  return call('POST /remotes/:id/verify', { params: { id } })
}

/** The newest first. */
export function fetchRuns(id: number): Promise<SyncRun[]> {
  return call('GET /remotes/:id/runs', { params: { id } })
}

/** The newest first. @param page from 0 */
export function fetchRefusals(id: number, page: number): Promise<Refusal[]> {
  return call('GET /remotes/:id/refusals', { params: { id }, query: { page } })
}

/** Sends refused records again unchanged. */
export function retryRefusals(id: number): Promise<Remote> {
  return call('POST /remotes/:id/refusals/retry', { params: { id } })
}

/**
 * Undecided conflicts, then the newest.
 * @param page from 0
 */
export function fetchConflicts(id: number, page: number): Promise<Conflict[]> {
  return call('GET /remotes/:id/conflicts', { params: { id }, query: { page } })
}

export function decideConflict(id: number, conflictId: number, keep: Side): Promise<Remote> {
  return call('POST /remotes/:id/conflicts/:conflict_id/decide', {
    params: { id, conflict_id: conflictId },
    body: { keep }
  })
}

export function fetchCampaignsThere(id: number): Promise<CampaignThere[]> {
  return call('GET /remotes/:id/campaigns', { params: { id } })
}
