import { refusal } from '../base/refusal.ts'
import { refusalOf } from '../base/errors.ts'
import { kyselyOver, openForReading } from '../database/connection.ts'
import { requestOrigin } from '../database/origin.ts'
import type { CommandClient } from '../database/writer.ts'
import type { JobOutcome } from '../jobs/outcome.ts'
import { type RunningJob, runJobs } from '../jobs/run-job.ts'
import type { RunEnd, RunPlan } from './commands/runs.ts'
import { mirror, type OnProgress } from './mirror.ts'
import { refusedOf } from './queries.ts'
import { Question } from './question.ts'
import { RemoteApi } from './remote-api.ts'
import { RemoteFault } from './remote-fault.ts'
import { emptyResult, type Run } from './run-context.ts'
import { databasePathIn } from '../database/database-path.ts'

// One run: what changed here is sent to a remote server, and what changed there is brought here.

export interface SyncThreadData {
  /** null = no key is stored at the remote's credential place. */
  apiKey: string | null
}

const maxCutOffs = 2

/** Milliseconds between two notes of how far a run is. */
const noteInterval = 500

runJobs<SyncThreadData>(runSync, {
  onStorageFault: (fault) => ({ is: 'failed', fault: refusal('sync_stopped', { fault }) }),
  describe: (error) => refusal('sync_stopped', { fault: refusalOf(error) })
})

async function runSync({
  id,
  dataDirectory,
  client,
  signal,
  data
}: RunningJob<SyncThreadData>): Promise<JobOutcome> {
  const plan = await client.run('syncs.begin', { id })
  if (!plan) return { is: 'stopped' }
  const reader = kyselyOver(openForReading(databasePathIn(dataDirectory)))
  const stop = new AbortController()
  const api = new RemoteApi(
    {
      baseUrl: plan.remote.base_url,
      organizationId: plan.remote.remote_organization_id,
      apiKey: data.apiKey ?? '',
      requestsPerSecond: plan.settings.requests_per_second
    },
    { signal: AbortSignal.any([signal, stop.signal]) }
  )
  const run: Run = {
    remoteId: id,
    organizationId: plan.remote.organization_id,
    timeZone: plan.timeZone,
    rules: plan.settings,
    mailingListIds: plan.settings.mailing_list_ids,
    answers: plan.answers,
    api,
    client,
    reader,
    signal: AbortSignal.any([signal, stop.signal]),
    result: emptyResult(),
    refused: await refusedOf(reader, id)
  }
  try {
    const end = await requestOrigin.run({ via: 'sync', causeId: id, userId: null }, () =>
      carryOut(run, plan, data.apiKey, noting(run, plan.runId, client, stop))
    )
    if (stop.signal.aborted) return { is: 'stopped' }
    addTraffic(run)
    await client.run('syncs.end', { runId: plan.runId, result: run.result, end })
    return { is: 'finished' }
  } finally {
    await api.close()
    await reader.destroy()
  }
}

async function carryOut(
  run: Run,
  plan: RunPlan,
  apiKey: string | null,
  onProgress: OnProgress
): Promise<RunEnd> {
  const { remote, settings } = plan
  if (apiKey === null) {
    // A keyring may be locked, and only the desktop can decrypt what it encrypted.
    if (remote.credential_place !== 'file') {
      return {
        is: 'waiting',
        fault: refusal('key_unreadable')
      }
    }
    return {
      is: 'asking',
      question: 'key',
      fault: refusal('key_missing_here'),
      mailingListId: null
    }
  }
  if (plan.cutOffs >= maxCutOffs) {
    return {
      is: 'asking',
      question: 'cut_off',
      fault: refusal('ended_twice', { name: remote.name }),
      mailingListId: null
    }
  }
  const pullsAll =
    settings.schedule !== 'on_change' ||
    remote.pulled_at === null ||
    Date.now() - remote.pulled_at >= settings.interval_minutes * 60_000
  try {
    await mirror(run, pullsAll, onProgress)
    return { is: 'finished', pulledAll: pullsAll }
  } catch (error) {
    if (run.signal.aborted) return { is: 'waiting', fault: null }
    if (error instanceof Question) {
      const { kind: question, refusal: fault, mailingListId } = error
      return { is: 'asking', question, fault, mailingListId }
    }
    if (!(error instanceof RemoteFault)) throw error
    if (error.kind === 'key')
      return { is: 'asking', question: 'key', fault: error.refusal, mailingListId: null }
    return { is: 'waiting', fault: error.refusal }
  }
}

/** Stores the progress of a run at intervals, and stops the run once a user pauses it. */
function noting(run: Run, runId: number, client: CommandClient, stop: AbortController): OnProgress {
  let notedAt = -Infinity
  return async (kind, mailingListId, done, total) => {
    run.result.progress = { kind, mailing_list_id: mailingListId, done, total }
    if (performance.now() - notedAt < noteInterval) return
    notedAt = performance.now()
    addTraffic(run)
    if (!(await client.run('syncs.recordProgressOf', { runId, result: run.result }))) stop.abort()
  }
}

function addTraffic({ result, api: { traffic } }: Run): void {
  result.requests = traffic.requests
  result.bytes_sent = traffic.bytesSent
  result.bytes_received = traffic.bytesReceived
}
