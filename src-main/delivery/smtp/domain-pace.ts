import { enhancedCodeOf } from './outcome.ts'

/** A domain that asked for fewer messages. */
interface SlowDomain {
  /** Milliseconds between two messages. */
  interval: number
  /** When the next message may go, in UNIX milliseconds. */
  nextAt: number
  /** The latest time that was given to a message, in UNIX milliseconds. */
  lastTime: number
  /** The pause after the next refusal, in milliseconds. */
  pause: number
  /** Messages accepted since the last refusal. */
  accepted: number
}

/** The pace of a domain as it is stored. */
export interface StoredPace {
  domain: string
  /** Milliseconds between two messages. */
  interval: number
  /** When the next message may go, in UNIX milliseconds. */
  next_at: number
  /** The pause after the next refusal, in milliseconds. */
  pause: number
}

/** After its first pause a domain gets so many messages for each of its length. */
const perPause = 60
/** Messages are given times no further ahead than so many first pauses. */
const reservedAhead = 10
/** After so many messages in a row the domain gets more of them. */
const acceptedBeforeFaster = 20
/** A domain that takes more than this is as fast as any other. */
const shortestInterval = 20

export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase()
}

/** True for a refusal that asks for fewer messages: 421, or a policy of the receiver (RFC 3463, X.7.X) that holds for now. */
export function asksForLess(code: number | null, reply: string): boolean {
  return code === 421 || (code !== null && code < 500 && (enhancedCodeOf(reply)?.startsWith('4.7.') ?? false))
}

/**
 * How fast each domain of recipients takes messages. Only domains that have refused some are limited, each on its own; what they take then is learned
 * from their replies.
 */
export class DomainPace {
  readonly #slow = new Map<string, SlowDomain>()
  readonly #changed = new Set<string>()
  readonly #firstPause: number
  readonly #longestPause: number

  /** @param pauses the first and the longest, in milliseconds */
  constructor([first, longest]: readonly [number, number]) {
    this.#firstPause = first
    this.#longestPause = longest
  }

  /** Continues with what was learned before. */
  load(paces: readonly StoredPace[]): void {
    for (const { domain, interval, next_at, pause } of paces) {
      this.#slow.set(domain, { interval, nextAt: next_at, lastTime: next_at, pause, accepted: 0 })
    }
  }

  /** Returns what has changed since the last call, with an interval of 0 for domains that are not limited any more. */
  takeChanges(): StoredPace[] {
    const changes = [...this.#changed].map((domain): StoredPace => {
      const { interval = 0, nextAt = 0, pause = 0 } = this.#slow.get(domain) ?? {}
      return { domain, interval, next_at: Math.round(nextAt), pause }
    })
    this.#changed.clear()
    return changes
  }

  /** Returns how many messages a domain gets in a minute. */
  perMinute(domain: string): number {
    return Math.max(1, Math.round(60_000 / (this.#slow.get(domain)?.interval ?? 1)))
  }

  /**
   * Asks for a message.
   * @returns `now` if it may go; otherwise when to ask again, in UNIX milliseconds. Messages get different times, so that few have to ask twice
   */
  reserveTime(domain: string, now: number): number {
    const slow = this.#slow.get(domain)
    if (!slow) return now
    if (now >= slow.nextAt) {
      slow.nextAt = now + slow.interval
      return now
    }
    const next = Math.max(slow.lastTime, slow.nextAt) + slow.interval
    // The domain may be faster by then.
    slow.lastTime = Math.ceil(Math.min(next, now + reservedAhead * this.#firstPause))
    return slow.lastTime
  }

  /** @returns true if the domain is limited from now on, or more than before */
  slowDown(domain: string, now: number): boolean {
    const slow = this.#slow.get(domain)
    // Several connections may be refused for one reason.
    if (slow && slow.accepted === 0 && slow.nextAt > now) return false
    this.#changed.add(domain)
    const pause = slow?.pause ?? this.#firstPause
    this.#slow.set(domain, {
      interval: slow ? Math.min(this.#firstPause, slow.interval * 2) : this.#firstPause / perPause,
      nextAt: now + pause,
      lastTime: now + pause,
      pause: Math.min(this.#longestPause, pause * 2),
      accepted: 0
    })
    return true
  }

  accepted(domain: string): void {
    const slow = this.#slow.get(domain)
    if (!slow || ++slow.accepted % acceptedBeforeFaster !== 0) return
    this.#changed.add(domain)
    slow.interval /= 2
    slow.pause = this.#firstPause
    if (slow.interval < shortestInterval) this.#slow.delete(domain)
  }
}
