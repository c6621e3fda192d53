import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type CommandClient, commandClientOver } from '../database/writer.ts'
import { storageFaultOf } from '../base/errors.ts'
import { giveWay } from '../base/threads.ts'
import type { JobOutcome } from './outcome.ts'

/** What the thread of every job is started with. */
export interface JobThreadData {
  id: number
  /** Absolute. */
  dataDirectory: string
  /** To the writer thread. */
  writer: MessagePort
}

/** What a job works with. */
export interface RunningJob {
  id: number
  dataDirectory: string
  client: CommandClient
  /** Aborted when the job is paused or cancelled, or its list deleted: nothing is stored for it any more by then. */
  signal: AbortSignal
}

/** What becomes of a job that met an error. */
export interface JobFaults {
  /** The outcome of a full disk; `message` says what to do before the job can be gone on with. */
  onFullDisk: (message: string) => JobOutcome
  /** Why the job fails, in a sentence for its owner. */
  describe: (error: unknown) => string
}

/** Does the job that the calling thread was started for, and tells its runner how that ended. */
export async function runJob(
  work: (job: RunningJob) => Promise<JobOutcome>,
  faults: JobFaults
): Promise<void> {
  giveWay()
  const { id, dataDirectory, writer } = workerData as JobThreadData
  const signal = stopSignal()
  try {
    tell(await work({ id, dataDirectory, client: commandClientOver(writer), signal }))
  } catch (error) {
    tell(signal.aborted ? { is: 'stopped' } : outcomeOf(error, faults))
  } finally {
    writer.close()
  }
}

/** What a lock keeps from being written is written once it is gone, and nobody has to do anything. */
function outcomeOf(error: unknown, { onFullDisk, describe }: JobFaults): JobOutcome {
  const storage = storageFaultOf(error)
  if (storage?.kind === 'locked') return { is: 'again' }
  return storage ? onFullDisk(storage.message) : { is: 'failed', message: describe(error) }
}

function tell(outcome: JobOutcome): void {
  parentPort?.postMessage(outcome)
}

function stopSignal(): AbortSignal {
  const stop = new AbortController()
  parentPort?.once('message', () => stop.abort())
  // Waiting for that must not keep the thread alive.
  parentPort?.unref()
  return stop.signal
}
