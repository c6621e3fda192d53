import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { ApiError, internalError } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { kyselyOver, openForReading } from '../../database/connection.ts'
import { databasePathIn } from '../../database/database-path.ts'
import type { Schema } from '../../database/schema.ts'
import { gateRefusal, putImages } from '../../delivery/hand-over.ts'
import { GateClient, GateUnavailable } from '../../gates/client.ts'
import { digestOfSecret, gateSecretOf } from '../../gates/keys.ts'
import type { GateEvent, GateStatus } from '../../gates/protocol.ts'
import { contentsOfGate, gateOf, positionOf } from '../../gates/queries.ts'
import type { JobOutcome } from '../../jobs/outcome.ts'
import { type RunningJob, runJobs } from '../../jobs/run-job.ts'
import { signingSecret } from '../../settings/queries.ts'
import type { GateData } from './gate-jobs.ts'

// Fetches what visitors did from one gate, and hands over to it what it has lost.

/** Events that are applied in one transaction. */
const appliedAtOnce = 100

runJobs(fetchFromGate, {
  onStorageFault: (fault) => ({ is: 'held', fault }),
  describe: (error) => internalError('Fetching from a gate', error)
})

type FetchJob = RunningJob<GateData>

async function fetchFromGate(job: FetchJob): Promise<JobOutcome> {
  await job.client.run('gateFetches.begin', { id: job.id })
  const reader = kyselyOver(openForReading(databasePathIn(job.dataDirectory)))
  try {
    const gate = await gateOf(reader, job.id)
    if (!gate) return { is: 'stopped' }
    const { address } = gate
    if (job.data.key === null) return { is: 'held', fault: refusal('gate_no_key', { address }) }
    const api = new GateClient(address, job.data.key, job.signal)
    try {
      await handOverLost(job, reader, api, gate.state)
      const { epochs } = await api.status()
      for (const epoch of epochs) await applyEpoch(job, reader, api, epoch)
      return { is: 'finished' }
    } catch (error) {
      if (job.signal.aborted) return { is: 'stopped' }
      if (!(error instanceof GateUnavailable)) throw error
      return { is: 'failed', fault: gateRefusal(address, error) }
    }
  } finally {
    await reader.destroy()
  }
}

/** Hands over what the gate does not have: it may be new, or have been restored from a copy. */
async function handOverLost(
  { id, client }: FetchJob,
  reader: Kysely<Schema>,
  api: GateClient,
  state: string | null
): Promise<void> {
  const secret = gateSecretOf(await signingSecret(reader))
  const status = await api.status()
  if (status.secret_digest === digestOfSecret(secret) && status.state === state) return
  await api.giveSecret(secret)
  const there = await api.contents()
  const images = new Set(there.images)
  for (const { content_key: key, source_digest, body, ...content } of await contentsOfGate(reader, id)) {
    const missing = (JSON.parse(content.images) as string[]).filter((image) => !images.has(image))
    await putImages(reader, api, missing)
    for (const image of missing) images.add(image)
    if (there.contents[key] !== createHash('sha256').update(body).digest('hex'))
      await api.putContent(key, body)
    await client.run('gates.recordHandedOver', { urlDomainId: id, key, sourceDigest: source_digest })
  }
  const { state: now } = await api.status()
  await client.run('gateFetches.recordState', { id, state: now })
}

async function applyEpoch(
  { client, signal }: FetchJob,
  reader: Kysely<Schema>,
  api: GateClient,
  { epoch, last }: GateStatus['epochs'][number]
): Promise<void> {
  let applied = await positionOf(reader, epoch)
  while (applied < last) {
    const events = await api.events(epoch, applied)
    if (events.length === 0) break
    for (const batch of batchesOf(events)) {
      signal.throwIfAborted()
      try {
        await client.run('gateFetches.apply', { epoch, events: batch })
      } catch (error) {
        const [only] = batch
        if (!(error instanceof ApiError) || batch.length > 1 || !only) throw error
        // What the list does not take, such as a subscriber over a limit, must not hold up all others.
        await client.run('gateFetches.skip', { epoch, number: only.number })
      }
      applied = batch.at(-1)?.number ?? applied
    }
  }
  // Also what was applied before, in case the gate was restored from an older copy.
  await api.acknowledge(epoch, applied)
}

/** Splits events: a confirmation stands alone, since its list may refuse it. */
function batchesOf(events: readonly GateEvent[]): GateEvent[][] {
  const batches: GateEvent[][] = []
  for (const event of events) {
    const current = batches.at(-1)
    const joins = current && current.length < appliedAtOnce && current[0]?.kind !== 'confirm'
    if (joins && event.kind !== 'confirm') current.push(event)
    else batches.push([event])
  }
  return batches
}
