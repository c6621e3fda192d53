import { setTimeout as pause } from 'node:timers/promises'
import type { Writer } from '../../database/writer.ts'

declare module '../../http/context.ts' {
  interface ApplicationContext {
    followers: Followers
  }
}

/** An organization counts as followed for so long after its last request, in milliseconds. */
const leaseTime = 60_000
/** Changes are collected before events are looked for: an import makes many a second. In milliseconds. */
const gatheringTime = 100

interface Lease {
  /** Ends it. */
  timer: NodeJS.Timeout
  /** Resolves once changes are recorded; null = that was not asked for, or failed. */
  recording: Promise<void> | null
}

/** Keeps track of who follows events: changes of their subscribers are recorded meanwhile, and requests wait here for the next one. */
export class Followers {
  readonly #writer: Writer
  readonly #leases = new Map<number, Lease>()
  readonly #waiting = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined
  readonly #closed = new AbortController()

  constructor(writer: Writer) {
    this.#writer = writer
    writer.onChanges(() => {
      if (this.#waiting.size > 0) this.#timer ??= setTimeout(() => this.#wakeAll(), gatheringTime)
    })
  }

  /** Has the changes of an organization's subscribers recorded from now on for a minute. */
  async follow(organizationId: number): Promise<void> {
    const known = this.#leases.get(organizationId)
    clearTimeout(known?.timer)
    const lease: Lease = {
      timer: setTimeout(() => this.#end(organizationId), leaseTime).unref(),
      recording: known?.recording ?? null
    }
    this.#leases.set(organizationId, lease)
    lease.recording ??= this.#record()
    try {
      await lease.recording
    } catch (error) {
      // The next follower tries again.
      lease.recording = null
      throw error
    }
  }

  #end(organizationId: number): void {
    this.#leases.delete(organizationId)
    // If it fails, more than needed is recorded until the next follower comes or goes.
    this.#record().catch(() => undefined)
  }

  /** Waits for the next change, or for some milliseconds. */
  async change(milliseconds: number, signal: AbortSignal): Promise<void> {
    const waiting = new AbortController()
    const wake = (): void => waiting.abort()
    this.#waiting.add(wake)
    try {
      const either = AbortSignal.any([waiting.signal, signal, this.#closed.signal])
      await pause(milliseconds, undefined, { signal: either })
    } catch (error) {
      if (!(error instanceof Error && error.name === 'AbortError')) throw error
    } finally {
      this.#waiting.delete(wake)
    }
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted
  }

  close(): void {
    this.#closed.abort()
    clearTimeout(this.#timer)
    for (const { timer } of this.#leases.values()) clearTimeout(timer)
  }

  #record(): Promise<void> {
    return this.#writer.run('events.follow', { organizationIds: [...this.#leases.keys()] })
  }

  #wakeAll(): void {
    this.#timer = undefined
    for (const wake of this.#waiting) wake()
  }
}
