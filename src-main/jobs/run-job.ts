import { type Refusal } from '../base/refusal.ts'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { storageFaultOf } from '../base/errors.ts'
import { lowerPriority } from '../base/threads.ts'
import { type CommandClient, commandClientOver } from '../database/writer.ts'
import type { JobOutcome } from './outcome.ts'

/** An order to a thread: start a job, or interrupt the current one. */
export type JobOrder = { begin: JobStart } | { stop: true }

/** A job as its thread gets it. */
export interface JobStart {
  id: number
  /** Absolute. */
  dataDirectory: string
  /** To the writer thread. */
  writer: MessagePort
  /** Depends on the kind of job. */
  data: unknown
}

export interface RunningJob<Data = undefined> {
  id: number
  dataDirectory: string
  client: CommandClient
  /** Aborted when the job is paused or cancelled, or its list deleted. */
  signal: AbortSignal
  data: Data
}

/** Handlers of the errors of a job. */
export interface JobFaults {
  /** The outcome of a disk that is full or fails; `fault` says what to do before the job can continue. */
  onStorageFault: (fault: Refusal) => JobOutcome
  /** Explains an error to the user. */
  describe: (error: unknown) => Refusal
}

/**
 * Runs jobs in the calling thread, one after the other, and reports how each ended. A job must leave no state
 * in the thread: the next one may belong to another organization.
 */
export function runJobs<Data>(work: (job: RunningJob<Data>) => Promise<JobOutcome>, faults: JobFaults): void {
  if (!parentPort) throw new Error('jobs run in worker threads')
  const home: MessagePort = parentPort
  let stop = new AbortController()
  lowerPriority()
  home.on('message', (order: JobOrder) => {
    if ('stop' in order) return stop.abort()
    stop = new AbortController()
    void runJob(order.begin, stop.signal, work, faults).then((outcome) => home.postMessage(outcome))
  })
}

async function runJob<Data>(
  { id, dataDirectory, writer, data }: JobStart,
  signal: AbortSignal,
  work: (job: RunningJob<Data>) => Promise<JobOutcome>,
  faults: JobFaults
): Promise<JobOutcome> {
  try {
    // The runner and the thread of a kind share one type of data, as they are defined in one module.
    return await work({ id, dataDirectory, client: commandClientOver(writer), signal, data: data as Data })
  } catch (error) {
    return signal.aborted ? { is: 'stopped' } : outcomeOf(error, faults)
  } finally {
    writer.close()
  }
}

/** A write that a lock prevented is repeated without the user's help once the lock is gone. */
function outcomeOf(error: unknown, { onStorageFault, describe }: JobFaults): JobOutcome {
  const storage = storageFaultOf(error)
  if (storage?.kind === 'locked') return { is: 'again' }
  return storage ? onStorageFault(storage.refusal) : { is: 'failed', fault: describe(error) }
}
