import { type MessagePort, parentPort } from 'node:worker_threads'
import { storageFaultOf } from '../base/errors.ts'
import { giveWay } from '../base/threads.ts'
import { type CommandClient, commandClientOver } from '../database/writer.ts'
import type { JobOutcome } from './outcome.ts'

/** What a thread is told: to work on a job, or to leave the one that it works on. */
export type JobOrder = { begin: JobStart } | { stop: true }

/** A job as its thread gets it. */
export interface JobStart {
  id: number
  /** Absolute. */
  dataDirectory: string
  /** To the writer thread. */
  writer: MessagePort
  /** What a kind of job needs beside that. */
  data: unknown
}

/** What a job works with. */
export interface RunningJob<Data = undefined> {
  id: number
  dataDirectory: string
  client: CommandClient
  /** Aborted when the job is paused or cancelled, or its list deleted. */
  signal: AbortSignal
  data: Data
}

/** What becomes of a job that met an error. */
export interface JobFaults {
  /** The outcome of a disk that is full or fails; `message` says what to do before the job can be gone on with. */
  onStorageFault: (message: string) => JobOutcome
  /** Why the job fails, in a sentence for its owner. */
  describe: (error: unknown) => string
}

/**
 * Does the jobs that the calling thread is given, one after the other, and tells the runner how each ended. Nothing of a job
 * may be left in the thread: the next one is somebody else's.
 */
export function runJobs<Data>(work: (job: RunningJob<Data>) => Promise<JobOutcome>, faults: JobFaults): void {
  if (!parentPort) throw new Error('jobs run in worker threads')
  const home: MessagePort = parentPort
  let stop = new AbortController()
  giveWay()
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
    // The runner's kind and the thread's are one module's: what the one sends is what the other takes.
    return await work({ id, dataDirectory, client: commandClientOver(writer), signal, data: data as Data })
  } catch (error) {
    return signal.aborted ? { is: 'stopped' } : outcomeOf(error, faults)
  } finally {
    writer.close()
  }
}

/** What a lock keeps from being written is written once it is gone, and nobody has to do anything. */
function outcomeOf(error: unknown, { onStorageFault, describe }: JobFaults): JobOutcome {
  const storage = storageFaultOf(error)
  if (storage?.kind === 'locked') return { is: 'again' }
  return storage ? onStorageFault(storage.message) : { is: 'failed', message: describe(error) }
}
