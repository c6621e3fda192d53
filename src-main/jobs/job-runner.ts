import { setTimeout as pause } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import type { ChangedEntity } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { internalError, messageOf } from '../base/errors.ts'
import { startThread } from '../base/threads.ts'
import type { JobEnd, JobOutcome } from './outcome.ts'
import { giveReserveBack, takeReserve } from './reserve.ts'
import type { JobThreadData } from './run-job.ts'
import { untilStored } from './until-stored.ts'
import { wakeOn } from './wake-on.ts'

/** A job that has work left. */
export interface Job {
  id: number
  /** UNIX milliseconds; 0 = at once. */
  dueAt: number
}

/** A kind of job, each of which has a thread of its own while it is worked on. */
export interface JobKind<Of extends Job> {
  /** What a job of the kind is, as the subject of a sentence. */
  name: string
  /** What the change log calls its jobs. */
  entity: ChangedEntity
  /** The module of the thread, beside `base`; it does its job by runJob. */
  thread: { base: string; name: string }
  /** What the thread is started with beside {@link JobThreadData}. */
  threadData?: (job: Of) => object
  /** The jobs that are neither paused nor ended, in the order in which they are to begin. */
  unfinished: (now: number) => Promise<Of[]>
  /** Whether a job that is due may begin beside those that are worked on. */
  mayStart: (job: Of, running: Of[]) => boolean
  /** Stores how a job ended, unless it was paused, cancelled or deleted meanwhile. */
  end: (id: number, end: JobEnd) => Promise<void>
  /** Called when the thread of a job has ended, whatever the outcome. */
  cleanUp?: (id: number) => Promise<void>
}

/** Longest wait until the jobs that are due are looked for again, in milliseconds: the clock may be set meanwhile. */
const maxWait = 60_000
/** How long a job of which nothing could be written waits before it begins again, in milliseconds. */
const waitForStorage = 2000

/** Gives each job of a kind that is due a thread, and stores how it ended. */
export class JobRunner<Of extends Job> {
  readonly #kind: JobKind<Of>
  readonly #writer: Writer
  readonly #dataDirectory: string
  /** By the ids of the jobs. */
  readonly #running = new Map<number, { job: Of; thread: Worker }>()
  /** When jobs go on that have to wait though they are due, by their ids, in UNIX milliseconds. */
  readonly #later = new Map<number, number>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(kind: JobKind<Of>, writer: Writer, dataDirectory: string) {
    this.#kind = kind
    this.#writer = writer
    this.#dataDirectory = dataDirectory
    wakeOn(writer, kind.entity, () => this.wake())
  }

  /** Starts what is due and stops what is paused or ended; to be called at the start, and then by itself. */
  async wake(): Promise<void> {
    if (this.#closed) return
    const now = Date.now()
    const unfinished = await this.#kind.unfinished(now)
    const ids = new Set(unfinished.map(({ id }) => id))
    for (const [id, { thread }] of this.#running) if (!ids.has(id)) thread.postMessage('stop')
    for (const id of this.#later.keys()) if (!ids.has(id)) this.#later.delete(id)
    let next = now + maxWait
    for (const job of unfinished) {
      const at = Math.max(job.dueAt, this.#later.get(job.id) ?? 0)
      if (at > now) next = Math.min(next, at)
      else if (this.#mayStart(job)) this.#start(job)
    }
    clearTimeout(this.#timer)
    if (this.#closed || unfinished.length === 0) return
    this.#timer = setTimeout(() => void this.#wakeAgain(), next - now)
    this.#timer.unref()
  }

  /** Stops the threads where they are; their jobs go on when the application starts again. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await Promise.all([...this.#running.values()].map(({ thread }) => thread.terminate()))
  }

  /** Asked without a pause before the start: of two that look at once, one starts the job. */
  #mayStart(job: Of): boolean {
    if (this.#closed || this.#running.has(job.id)) return false
    return this.#kind.mayStart(
      job,
      [...this.#running.values()].map((each) => each.job)
    )
  }

  #start(job: Of): void {
    takeReserve(this.#dataDirectory)
    const { thread: module, name, threadData } = this.#kind
    const port = this.#writer.connect()
    const data: JobThreadData = { id: job.id, dataDirectory: this.#dataDirectory, writer: port }
    const thread = startThread(module.base, module.name, {
      workerData: { ...threadData?.(job), ...data },
      transferList: [port],
      name: `${module.name} ${job.id}`
    })
    this.#running.set(job.id, { job, thread })
    this.#later.delete(job.id)
    let outcome: JobOutcome = { is: 'stopped' }
    thread.on('message', (told: JobOutcome) => (outcome = told))
    thread.on('error', (error) => (outcome = { is: 'failed', message: internalError(name, error) }))
    thread.on('exit', () => void this.#left(job.id, outcome))
  }

  async #left(id: number, outcome: JobOutcome): Promise<void> {
    try {
      await this.#settle(id, outcome)
    } catch (error) {
      // It is worked on again, from where it was, but not at full speed for ever.
      this.#later.set(id, Date.now() + maxWait)
      this.#report(`How job ${id} ended could not be stored`, error)
    }
    this.#running.delete(id)
    await this.#wakeAgain()
  }

  async #settle(id: number, outcome: JobOutcome): Promise<void> {
    if (outcome.is === 'later') this.#later.set(id, outcome.at)
    else if (outcome.is === 'again') await pause(waitForStorage, undefined, { ref: false })
    else if (outcome.is !== 'stopped') {
      await untilStored(
        () => this.#kind.end(id, outcome),
        () => this.#closed,
        () => giveReserveBack(this.#dataDirectory)
      )
    }
    if (!this.#closed) await this.#kind.cleanUp?.(id)
  }

  async #wakeAgain(): Promise<void> {
    try {
      await this.wake()
    } catch (error) {
      this.#report('Jobs that are due could not be looked for', error)
    }
  }

  #report(what: string, error: unknown): void {
    process.stderr.write(`${what} (${this.#kind.entity}): ${messageOf(error)}\n`)
  }
}
