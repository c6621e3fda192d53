import type { Kysely } from 'kysely'
import type { Worker } from 'node:worker_threads'
import { deliveriesToDo } from '../api/campaigns/delivery-queries.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { messageOf } from '../errors.ts'
import { giveReserveBack, takeReserve } from '../jobs/reserve.ts'
import { untilStored } from '../jobs/until-stored.ts'
import { wakeOn } from '../jobs/wake-on.ts'
import { startThread } from '../threads.ts'
import type { DeliveryFault, DeliveryNote, DeliveryThreadOptions } from './delivery-thread.ts'

/** Campaigns that are sent at the same time. */
const mostAtOnce = 8
/** Longest wait until the campaigns that are due are looked for again, in milliseconds. */
const longestWait = 60_000

/** Gives each campaign that is due a thread of its own, and chooses the winners of split tests when it is time. */
export class DeliveryRunner {
  readonly #reader: Kysely<Schema>
  readonly #writer: Writer
  readonly #dataDirectory: string
  readonly #running = new Map<number, Worker>()
  /** When campaigns go on that are ahead of their speed, in UNIX milliseconds. */
  readonly #goOnAt = new Map<number, number>()
  #linkBase: string | null = null
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(reader: Kysely<Schema>, writer: Writer, dataDirectory: string) {
    this.#reader = reader
    this.#writer = writer
    this.#dataDirectory = dataDirectory
    wakeOn(writer, 'campaign', () => this.wake())
  }

  /** Where links in messages lead that have no URL domain; null before {@link start}. */
  get linkBase(): string | null {
    return this.#linkBase
  }

  /** Goes on with what was interrupted. @param linkBase the address of the server, without a path */
  async start(linkBase: string): Promise<void> {
    this.#linkBase = linkBase
    await this.wake()
  }

  /** Starts what is due and stops what is not. */
  async wake(): Promise<void> {
    if (this.#closed || this.#linkBase === null) return
    clearTimeout(this.#timer)
    const due = await deliveriesToDo(this.#reader)
    for (const [campaignId, thread] of this.#running) {
      if (!due.some(({ id }) => id === campaignId)) thread.postMessage('stop')
    }
    for (const campaignId of this.#goOnAt.keys()) {
      if (!due.some(({ id }) => id === campaignId)) this.#goOnAt.delete(campaignId)
    }
    const now = Date.now()
    let next = now + longestWait
    for (const { id, at: dueAt, isDecision, delayBegan } of due) {
      if (delayBegan !== null && now < delayBegan) {
        // The clock was set back: by it, the delay has yet to begin.
        await this.#tryTo(() => this.#writer.run('restartDecisionDelay', { id, now }))
        next = Math.min(next, now + 1000)
        continue
      }
      const at = Math.max(dueAt, this.#goOnAt.get(id) ?? 0)
      if (at > now) {
        next = Math.min(next, at)
        continue
      }
      if (isDecision && !(await this.#tryTo(() => this.#writer.run('decideWinner', { id })))) continue
      if (!this.#running.has(id) && this.#running.size < mostAtOnce) this.#send(id)
    }
    if (due.length > 0) {
      this.#timer = setTimeout(() => void this.wake(), next - now)
      this.#timer.unref()
    }
  }

  /** Stops the threads where they are; the campaigns go on when the application starts again. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await Promise.all([...this.#running.values()].map((thread) => thread.terminate()))
  }

  /** @returns false when it could not be written; it is tried again later */
  async #tryTo(decide: () => Promise<void>): Promise<boolean> {
    try {
      await decide()
      return true
    } catch (error) {
      process.stderr.write(`The winner of a split test was not chosen: ${messageOf(error)}\n`)
      return false
    }
  }

  #send(campaignId: number): void {
    takeReserve(this.#dataDirectory)
    const port = this.#writer.connect()
    const options: DeliveryThreadOptions = {
      campaignId,
      dataDirectory: this.#dataDirectory,
      linkBase: this.#linkBase ?? '',
      writer: port
    }
    const thread = startThread(import.meta.url, 'delivery-thread', {
      workerData: options,
      transferList: [port],
      name: `campaign ${campaignId}`
    })
    this.#running.set(campaignId, thread)
    this.#goOnAt.delete(campaignId)
    let fault: DeliveryFault | null = null
    thread.on('message', (note: DeliveryNote) => {
      if ('goesOnAt' in note) this.#goOnAt.set(campaignId, note.goesOnAt)
      else fault = note
    })
    thread.on('error', (error) => {
      fault = { canGoOn: false, message: `Sending was stopped by an internal error: ${messageOf(error)}` }
    })
    thread.on('exit', () => void this.#ended(campaignId, fault))
  }

  async #ended(campaignId: number, fault: DeliveryFault | null): Promise<void> {
    if (fault !== null) {
      const { canGoOn, message } = fault
      await untilStored(
        () => this.#writer.run('holdDelivery', { id: campaignId, canGoOn, message }),
        () => this.#closed,
        () => giveReserveBack(this.#dataDirectory)
      )
    }
    this.#running.delete(campaignId)
    await this.wake()
  }
}
