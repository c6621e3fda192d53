import { setTimeout as pause } from 'node:timers/promises'
import type {
  Answer,
  Question,
  Remote,
  RemoteInput,
  SyncRun,
  Verification
} from '../../src-main/sync/schema.ts'
import { startApplication, type StartedApplication } from './application.ts'
import type { Client } from './client.ts'

/** An application and the server that it is mirrored to, which is one of the same kind. */
export interface SyncedPair {
  here: StartedApplication
  there: StartedApplication
  remoteId: number
}

/** Starts both, and sets the one up as the remote of the other. Nothing is mirrored yet. */
export async function startPair(settings: Partial<RemoteInput> = {}): Promise<SyncedPair> {
  const [here, there] = await Promise.all([startApplication(), startApplication()])
  return { here, there, remoteId: await addRemote(here.api, there, settings) }
}

/** @returns the id of the remote */
export async function addRemote(
  api: Client,
  there: StartedApplication,
  settings: Partial<RemoteInput> = {}
): Promise<number> {
  const { data } = await api.workbench<Remote>('POST', '/remotes', {
    base_url: there.app.baseUrl,
    organization_id: there.app.organizationId,
    api_key: await there.app.createApiKey('sync'),
    ...settings
  })
  return data.id
}

export interface EndedRun extends SyncRun {
  remote: Remote
}

/** Runs a sync and waits for its end, whatever the outcome. */
export async function runSync(api: Client, remoteId: number, longest = 120_000): Promise<EndedRun> {
  await api.workbench('POST', `/remotes/${remoteId}/run`)
  return endOfRun(api, remoteId, longest)
}

/** Waits until the run that was asked for has ended. */
export async function endOfRun(api: Client, remoteId: number, longest = 120_000): Promise<EndedRun> {
  for (const began = performance.now(); performance.now() - began < longest; await pause(20)) {
    const { data: remote } = await api.workbench<Remote>('GET', `/remotes/${remoteId}`)
    const run = remote.last_run
    if (remote.state !== 'running' && !remote.is_requested && run?.outcome) return { ...run, remote }
  }
  throw new Error('the run did not end')
}

const agreement: Partial<Record<Question, Answer>> = {
  gone: 'remove_here',
  fields_gone: 'remove_here',
  segments_gone: 'remove_here',
  changed: 'take_over',
  cut_off: 'go_on'
}

/** Runs a sync, and answers its questions with agreement. */
export async function runSyncAgreeing(api: Client, remoteId: number): Promise<EndedRun> {
  let run = await runSync(api, remoteId)
  while (run.outcome === 'asking') {
    const answer = agreement[run.remote.question ?? 'key']
    if (answer === undefined) break
    await api.workbench('POST', `/remotes/${remoteId}/answer`, { answer })
    run = await endOfRun(api, remoteId)
  }
  return run
}

export async function verifySync(api: Client, remoteId: number): Promise<Verification> {
  return (await api.workbench<Verification>('POST', `/remotes/${remoteId}/verify`)).data
}
