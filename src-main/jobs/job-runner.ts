import { setTimeout as pause } from 'node:timers/promises'
import type { Change } from '../database/command.ts'
import type { ChangedEntity } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { messageOf } from '../base/errors.ts'
import { JobThread } from './job-thread.ts'
import type { JobEnd, JobOutcome } from './outcome.ts'
import { releaseReserve, claimReserve } from './reserve.ts'
import { untilStored } from './until-stored.ts'

/** A job that has work left. */
export interface Job {
  id: number
  /** UNIX milliseconds; 0 = at once. */
  dueAt: number
}

/** A kind of job, each of which has a thread to itself while it is worked on. */
export interface JobKind<Of extends Job> {
  /** A job of this kind as the subject of a sentence. */
  name: string
  /** The kind's name in the change log. */
  entity: ChangedEntity
  /** The module of the thread, beside `base`; it does its jobs by runJobs. */
  thread: { base: string; name: string }
  /** Data for the thread besides the job's id. */
  threadData?: (job: Of) => unknown
  /**
   * True if a change makes the thread's data out of date: then the running jobs begin again with new data. After one of this kind only the
   * job does that it is about.
   */
  restartsOn?: (change: Change) => boolean
  /** True for changes of other kinds that may bring work: then jobs are looked for soon. */
  alsoWakesOn?: (change: Change) => boolean
  /** How long a job may take to come to a good end when the application closes, in milliseconds; without it, it is cut off at once. */
  graceOnClose?: number
  /** The jobs that are neither paused nor ended, in the order in which they are to begin. */
  unfinished: (now: number) => Promise<Of[]>
  /** True if a due job may run beside the running ones. */
  mayStart: (job: Of, running: Of[]) => boolean
  /** Stores how a job ended, unless it was paused, cancelled or deleted meanwhile. */
  end: (id: number, end: JobEnd) => Promise<void>
  /** Called when a thread has left a job, whatever the outcome. */
  cleanUp?: (id: number) => Promise<void>
  /** Records that the application closed during a job, which did not end by itself. */
  noteStop?: (id: number) => Promise<void>
}

/** Longest wait until the jobs that are due are looked for again, in milliseconds: the clock may be set meanwhile. */
const maxWait = 60_000
/** Time for which an idle thread is kept, in milliseconds: starting one takes a third of a second. */
const idleTime = 10_000
/** A job that took longer (milliseconds) may have left much memory in its thread: the next job gets a new thread, whose start it hardly notices. */
const shortJob = 3000
/** Jobs are looked for so long after a change that is not logged, in milliseconds. */
const wakesAfter = 200
/** Pause before a job that could write nothing is restarted, in milliseconds. */
const waitForStorage = 2000

/** Runs each due job of a kind in a thread, and stores how it ended. */
export class JobRunner<Of extends Job> {
  readonly #kind: JobKind<Of>
  readonly #writer: Writer
  readonly #dataDirectory: string
  readonly #running = new Map<number, { job: Of; thread: JobThread }>()
  /** Threads without a job, and what ends them. */
  readonly #idle = new Map<JobThread, NodeJS.Timeout>()
  /** Earliest restart of jobs that have to wait, by id, in UNIX milliseconds. */
  readonly #later = new Map<number, number>()
  #timer: NodeJS.Timeout | undefined
  #soon: NodeJS.Timeout | undefined
  #closed = false

  constructor(kind: JobKind<Of>, writer: Writer, dataDirectory: string) {
    this.#kind = kind
    this.#writer = writer
    this.#dataDirectory = dataDirectory
    writer.onChanges((changes) => {
      const restarting = changes.filter((change) => this.#kind.restartsOn?.(change))
      if (restarting.length > 0) {
        for (const [id, { thread }] of this.#running) {
          if (restarting.some((change) => this.#mayBeAbout(change, id))) thread.stop()
        }
        this.#later.clear()
      }
      const concerning = changes.filter((change) => this.#isConcernedBy(change))
      if (restarting.length > 0 || concerning.some(({ isUnlogged }) => !isUnlogged)) void this.#wakeAgain()
      else if (concerning.length > 0 || changes.some((change) => this.#kind.alsoWakesOn?.(change)))
        this.#wakeSoon()
    })
  }

  async wake(): Promise<void> {
    if (this.#closed) return
    const now = Date.now()
    const unfinished = await this.#kind.unfinished(now)
    const ids = new Set(unfinished.map(({ id }) => id))
    for (const [id, { thread }] of this.#running) if (!ids.has(id)) thread.stop()
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

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#soon)
    for (const timer of this.#idle.values()) clearTimeout(timer)
    const jobs = [...this.#running]
    const atWork = jobs.map(([, { thread }]) => thread)
    await this.#endWell(atWork)
    await Promise.all([...atWork, ...this.#idle.keys()].map((thread) => thread.end()))
    await Promise.all(jobs.map(([id]) => this.#noteStop(id)))
  }

  /** Many of these changes may follow each other: one look is enough. */
  #wakeSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined
      void this.#wakeAgain()
    }, wakesAfter).unref()
  }

  async #endWell(threads: readonly JobThread[]): Promise<void> {
    const { graceOnClose } = this.#kind
    if (graceOnClose === undefined || threads.length === 0) return
    for (const thread of threads) thread.stop()
    const timer = new AbortController()
    const ended = Promise.all(threads.map((thread) => thread.whenIdle()))
    await Promise.race([
      ended,
      pause(graceOnClose, undefined, { signal: timer.signal }).catch(() => undefined)
    ])
    timer.abort()
  }

  async #noteStop(id: number): Promise<void> {
    try {
      await this.#kind.noteStop?.(id)
    } catch (error) {
      this.#report(`That job ${id} was stopped could not be noted`, error)
    }
  }

  #mayBeAbout({ entity, firstId, lastId }: Change, id: number): boolean {
    return entity !== this.#kind.entity || (firstId <= id && id <= lastId)
  }

  #isConcernedBy({ entity, action }: Change): boolean {
    return entity === this.#kind.entity || (entity === 'mailing_list' && action === 'delete')
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
    claimReserve(this.#dataDirectory)
    const thread = this.#takeThread()
    this.#running.set(job.id, { job, thread })
    this.#later.delete(job.id)
    void this.#carryOut(job, thread)
  }

  async #carryOut(job: Of, thread: JobThread): Promise<void> {
    const began = performance.now()
    let outcome: JobOutcome | null = null
    try {
      outcome = await thread.run({
        id: job.id,
        dataDirectory: this.#dataDirectory,
        writer: this.#writer.connect(),
        data: await this.#kind.threadData?.(job)
      })
      await this.#settle(job.id, outcome)
    } catch (error) {
      // The job is started again from where it was, after a pause.
      this.#later.set(job.id, Date.now() + maxWait)
      this.#report(`How job ${job.id} ended could not be stored`, error)
    }
    this.#running.delete(job.id)
    // Not earlier: stopping this job must not hit the thread's next one. A failed job may have left open
    // files.
    if (outcome?.is === 'finished' && performance.now() - began < shortJob) this.#keep(thread)
    else await thread.end()
    await this.#wakeAgain()
  }

  #takeThread(): JobThread {
    // The most recently used thread, so that the others reach their timeout.
    for (const [thread, timer] of [...this.#idle].reverse()) {
      clearTimeout(timer)
      this.#idle.delete(thread)
      if (!thread.hasEnded) return thread
    }
    return new JobThread(this.#kind.thread, this.#kind.name)
  }

  #keep(thread: JobThread): void {
    if (this.#closed || thread.hasEnded) return
    const end = (): void => {
      this.#idle.delete(thread)
      void thread.end()
    }
    this.#idle.set(thread, setTimeout(end, idleTime).unref())
  }

  async #settle(id: number, outcome: JobOutcome): Promise<void> {
    if (outcome.is === 'again') await pause(waitForStorage, undefined, { ref: false })
    else if (outcome.is !== 'stopped') {
      await untilStored(
        () => this.#kind.end(id, outcome),
        () => this.#closed,
        () => releaseReserve(this.#dataDirectory)
      )
    }
    if (!this.#closed) await this.#cleanUp(id)
  }

  async #cleanUp(id: number): Promise<void> {
    try {
      await this.#kind.cleanUp?.(id)
    } catch (error) {
      this.#report(`Files of job ${id} could not be removed`, error)
    }
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
