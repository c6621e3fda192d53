import type { Choice } from './chosen.ts'
import { mayBeReused, type Timed } from './reuse.ts'

interface KeptChoice extends Timed {
  /** The version of the data on which the search ran. */
  version: number
  ids: Promise<Float64Array>
  size: number
  /** Waiting callers; at 0 the work is cancelled. */
  waiting: number
  stop: AbortController
}

const maxIds = 4_000_000
const maxKept = 100

/** The found subscribers, and whether the data changed since. */
export interface FoundChoice {
  ids: Float64Array
  isStale: boolean
}

/** Caches the results of open tables, so that further pages cost nothing. */
export class KeptChoices {
  readonly #find: (choice: Choice, signal: AbortSignal) => Promise<Float64Array>
  readonly #kept = new Map<string, KeptChoice>()

  constructor(find: (choice: Choice, signal: AbortSignal) => Promise<Float64Array>) {
    this.#find = find
  }

  /**
   * @param version of the data: another number once anything was changed
   * @throws the reason of the signal, once it is aborted
   */
  async idsOf(choice: Choice, version: number, signal: AbortSignal): Promise<FoundChoice> {
    signal.throwIfAborted()
    const key = JSON.stringify(choice)
    const known = this.#kept.get(key)
    const isGood = known && (known.version === version || mayBeReused(known))
    const kept = isGood ? known : this.#begin(key, choice, version)
    // Set again, so that the most recently used entry is the last in the map.
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    kept.waiting++
    const leave = (): void => {
      kept.waiting--
      if (kept.waiting > 0 || kept.took !== null) return
      kept.stop.abort()
      if (this.#kept.get(key) === kept) this.#kept.delete(key)
    }
    signal.addEventListener('abort', leave, { once: true })
    try {
      return { ids: await kept.ids, isStale: kept.version !== version }
    } finally {
      signal.removeEventListener('abort', leave)
      if (!signal.aborted) kept.waiting--
    }
  }

  #begin(key: string, choice: Choice, version: number): KeptChoice {
    const stop = new AbortController()
    // The search for members may take a while before its first await.
    const beganAt = performance.now()
    const ids = this.#find(choice, stop.signal)
    const kept: KeptChoice = {
      version,
      ids,
      beganAt,
      took: null,
      size: 0,
      waiting: 0,
      stop
    }
    ids.then(
      ({ length }) => {
        kept.took = performance.now() - kept.beganAt
        kept.size = length
        this.#forget()
      },
      () => {
        if (this.#kept.get(key) === kept) this.#kept.delete(key)
      }
    )
    return kept
  }

  #forget(): void {
    let size = [...this.#kept.values()].reduce((sum, kept) => sum + kept.size, 0)
    for (const [key, kept] of this.#kept) {
      if ((size <= maxIds && this.#kept.size <= maxKept) || this.#kept.size === 1) return
      if (kept.took === null) continue
      this.#kept.delete(key)
      size -= kept.size
    }
  }
}
