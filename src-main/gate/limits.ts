/** Callers that are remembered; the one that came longest ago is forgotten. */
const mostRemembered = 20_000

/** How often something may happen for each caller: so often at once, and then so often per second. */
export class RateLimit {
  readonly #atOnce: number
  readonly #perSecond: number
  readonly #buckets = new Map<string, { left: number; at: number }>()

  constructor(atOnce: number, perSecond: number) {
    this.#atOnce = atOnce
    this.#perSecond = perSecond
  }

  /** True if it may happen once more, which counts. @param now milliseconds */
  take(caller: string, now: number): boolean {
    const left = this.#leftOf(caller, now)
    const mayHappen = left >= 1
    this.#remember(caller, mayHappen ? left - 1 : left, now)
    return mayHappen
  }

  /** True if it may not happen any more. */
  isUsedUp(caller: string, now: number): boolean {
    return this.#leftOf(caller, now) < 1
  }

  #leftOf(caller: string, now: number): number {
    const bucket = this.#buckets.get(caller)
    if (!bucket) return this.#atOnce
    const refilled = (Math.max(0, now - bucket.at) / 1000) * this.#perSecond
    return Math.min(this.#atOnce, bucket.left + refilled)
  }

  #remember(caller: string, left: number, at: number): void {
    this.#buckets.delete(caller)
    this.#buckets.set(caller, { left, at })
    if (this.#buckets.size <= mostRemembered) return
    const [oldest] = this.#buckets.keys()
    if (oldest !== undefined) this.#buckets.delete(oldest)
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
