import type { Worker } from 'node:worker_threads'
import type { ChangedEntity } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { messageOf } from '../errors.ts'
import { giveReserveBack, takeReserve } from './reserve.ts'
import { untilStored } from './until-stored.ts'
import { wakeOn } from './wake-on.ts'

/** A kind of job of which one at a time is done. */
export interface SingleJobs {
  /** The id of the oldest one that waits, or was interrupted. */
  next: () => Promise<number | undefined>
  /** Starts its thread, which may send a message: why the job failed. */
  start: (id: number) => Worker
  /** Notes that it failed. */
  fail: (id: number, message: string) => Promise<void>
  /** What the change log calls them. */
  entity: ChangedEntity
  dataDirectory: string
}

/** Gives one job of a kind at a time a thread. */
export class SingleJobRunner {
  readonly #jobs: SingleJobs
  #running: Worker | null = null
  #closed = false

  constructor(jobs: SingleJobs, writer: Pick<Writer, 'onChanges'>) {
    this.#jobs = jobs
    wakeOn(writer, jobs.entity, () => this.wake())
  }

  /** Starts the job that waits longest; to be called at the start. */
  async wake(): Promise<void> {
    if (this.#closed) return
    const id = await this.#jobs.next()
    // Looked at after the question: of two that ask at once, one starts.
    if (id !== undefined && !this.#running && !this.#closed) this.#start(id)
  }

  /** Stops the thread where it is; the job continues when the application starts again. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#running?.terminate()
  }

  #start(id: number): void {
    takeReserve(this.#jobs.dataDirectory)
    const thread = this.#jobs.start(id)
    this.#running = thread
    let failure: string | null = null
    thread.on('message', (message: string) => (failure = message))
    thread.on('error', (error) => (failure = `It was stopped by an internal error: ${messageOf(error)}`))
    thread.on('exit', () => void this.#ended(id, failure))
  }

  async #ended(id: number, failure: string | null): Promise<void> {
    if (failure !== null) {
      const message = failure
      await untilStored(
        () => this.#jobs.fail(id, message),
        () => this.#closed,
        () => giveReserveBack(this.#jobs.dataDirectory)
      )
    }
    this.#running = null
    await this.wake()
  }
}
