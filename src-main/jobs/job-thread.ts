import type { Worker } from 'node:worker_threads'
import { internalError } from '../base/errors.ts'
import { endThread, startThread } from '../base/threads.ts'
import type { JobOutcome } from './outcome.ts'
import type { JobOrder, JobStart } from './run-job.ts'

/** A thread that does jobs of a kind, one after the other. */
export class JobThread {
  readonly #worker: Worker
  #settle: ((outcome: JobOutcome) => void) | null = null
  #hasEnded = false
  #job: Promise<unknown> = Promise.resolve()

  /**
   * @param module of the thread, beside `base`; it does its jobs by runJobs
   * @param kind what a job of it is, as the subject of a sentence
   */
  constructor({ base, name }: { base: string; name: string }, kind: string) {
    this.#worker = startThread(base, name, { name })
    this.#worker.on('message', (outcome: JobOutcome) => this.#settle?.(outcome))
    this.#worker.on('error', (error) => this.#end({ is: 'failed', fault: internalError(kind, error) }))
    this.#worker.on('exit', () => this.#end({ is: 'stopped' }))
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Does a job; no other may be under way. What the thread dies of is an outcome too. */
  run(begin: JobStart): Promise<JobOutcome> {
    const outcome = new Promise<JobOutcome>((resolve) => {
      this.#settle = resolve
      this.#worker.postMessage({ begin } satisfies JobOrder, [begin.writer])
    })
    this.#job = outcome
    return outcome
  }

  /** Resolves once no job is under way. */
  async whenIdle(): Promise<void> {
    await this.#job
  }

  /** Interrupts the job; its outcome follows. */
  stop(): void {
    this.#worker.postMessage({ stop: true } satisfies JobOrder)
  }

  /** Ends the thread at once; a job that was under way is stopped. */
  async end(): Promise<void> {
    await endThread(this.#worker)
  }

  #end(outcome: JobOutcome): void {
    this.#hasEnded = true
    this.#settle?.(outcome)
  }
}
