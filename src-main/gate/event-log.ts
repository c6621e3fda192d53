import type { GateStore, NewEvent } from './store.ts'

/** Events that may wait for the next commit; beyond that a gate answers that it is busy. */
const mostWaiting = 5000
/** Events that one commit takes. */
const committedAtOnce = 1000

/** A gate takes an event only if it can keep it. */
export class GateBusy extends Error {}

/** Stores events; those that arrive together share a commit, which costs as much for a thousand as for one. */
export class EventLog {
  readonly #store: GateStore
  #waiting: { event: NewEvent; stored: () => void; failed: (error: unknown) => void }[] = []
  #isScheduled = false

  constructor(store: GateStore) {
    this.#store = store
  }

  /** True if only what must not be lost is still taken: unsubscribes and confirmations. */
  get isNearlyFull(): boolean {
    return this.#store.isNearlyFull
  }

  /** Resolves once the event is on disk. @throws GateBusy if there are too many */
  append(event: NewEvent): Promise<void> {
    if (this.#store.isFull || this.#waiting.length >= mostWaiting) return Promise.reject(new GateBusy())
    return new Promise((stored, failed) => {
      this.#waiting.push({ event, stored, failed })
      if (this.#isScheduled) return
      this.#isScheduled = true
      // After the requests that have arrived by now were read.
      setImmediate(() => this.#commit())
    })
  }

  #commit(): void {
    this.#isScheduled = false
    const batch = this.#waiting.splice(0, committedAtOnce)
    try {
      this.#store.append(batch.map(({ event }) => event))
      for (const { stored } of batch) stored()
    } catch (error) {
      for (const { failed } of batch) failed(error)
    }
    if (this.#waiting.length === 0 || this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#commit())
  }
}
