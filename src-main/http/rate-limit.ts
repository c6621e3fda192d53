import { randomInt } from 'node:crypto'

/**
 * How often something may happen for each caller: so often at once, and then so often per second. Its memory does not grow with
 * the number of callers: an attacker can call from any number of addresses.
 */
export class RateLimit {
  readonly #atOnce: number
  readonly #perSecond: number
  /** Differs each time, so that nobody can choose who shares a bucket. */
  readonly #seed = randomInt(2 ** 31)
  /** What was used of each bucket, and when that was so, in milliseconds. */
  readonly #used: Float32Array
  readonly #at: Float64Array

  /** @param buckets a power of two: callers share one by chance, the more rarely the more there are */
  constructor(atOnce: number, perSecond: number, buckets: number = 2 ** 14) {
    this.#atOnce = atOnce
    this.#perSecond = perSecond
    this.#used = new Float32Array(buckets)
    this.#at = new Float64Array(buckets)
  }

  /** True if it may happen once more, which counts. @param now milliseconds */
  take(caller: string, now: number): boolean {
    const bucket = this.#bucketOf(caller)
    const used = this.#usedOf(bucket, now)
    const mayHappen = used + 1 <= this.#atOnce
    this.#used[bucket] = mayHappen ? used + 1 : used
    this.#at[bucket] = now
    return mayHappen
  }

  #usedOf(bucket: number, now: number): number {
    const since = Math.max(0, now - (this.#at[bucket] ?? 0)) / 1000
    return Math.max(0, (this.#used[bucket] ?? 0) - since * this.#perSecond)
  }

  /** FNV-1a. */
  #bucketOf(caller: string): number {
    let hash = this.#seed
    for (let index = 0; index < caller.length; index++) {
      hash = Math.imul(hash ^ caller.charCodeAt(index), 0x01000193)
    }
    return (hash ^ (hash >>> 15)) & (this.#used.length - 1)
  }
}

/** Returns what stands for one caller: an address, or the network of 64 bits that one has by IPv6. */
export function callerOf(ip: string): string {
  if (!ip.includes(':') || ip.startsWith('::ffff:')) return ip.replace('::ffff:', '')
  const [front = '', back = ''] = ip.split('::')
  const groups = front.split(':').filter(Boolean)
  const missing = 8 - groups.length - back.split(':').filter(Boolean).length
  const all = [...groups, ...Array<string>(Math.max(0, missing)).fill('0')]
  return all.slice(0, 4).join(':')
}
