import { getDomain } from 'tldts'
import { type Dns, DnsUnavailable } from '../preflight/dns.ts'

/** The provider of a domain's mailboxes. */
export interface KnownProvider {
  domain: string
  /** The domain that owns its first mail server, such as google.com; null = it has none. */
  provider: string | null
}

/** A domain is looked up once it got so many messages: most have one recipient. */
const worthAsking = 5
/** After so many failures in a row the computer is taken to be offline. */
const mostFailures = 3
const mostAtOnce = 4

/** Tells which domains of recipients share their mail servers, so that they share their pace as well. */
export class Providers {
  readonly #dns: Dns
  readonly #known: Map<string, string | null>
  readonly #seen = new Map<string, number>()
  readonly #waiting: string[] = []
  #found: KnownProvider[] = []
  #asking = 0
  #failures = 0

  /** @param known what was looked up before */
  constructor(dns: Dns, known: readonly KnownProvider[]) {
    this.#dns = dns
    this.#known = new Map(known.map(({ domain, provider }) => [domain, provider]))
  }

  /** Returns what has one pace with a domain: its provider, or the domain itself as long as that is not known. */
  paceKeyOf(domain: string): string {
    const provider = this.#known.get(domain)
    if (provider === undefined) this.#count(domain)
    return provider ?? domain
  }

  /** Returns what was found since the last call. */
  takeFound(): KnownProvider[] {
    const found = this.#found
    this.#found = []
    return found
  }

  #count(domain: string): void {
    const seen = (this.#seen.get(domain) ?? 0) + 1
    this.#seen.set(domain, seen)
    if (seen !== worthAsking) return
    this.#waiting.push(domain)
    if (this.#asking < mostAtOnce) void this.#askAll()
  }

  async #askAll(): Promise<void> {
    this.#asking++
    for (let domain = this.#waiting.shift(); domain !== undefined; domain = this.#waiting.shift()) {
      if (this.#failures < mostFailures) await this.#ask(domain)
    }
    this.#asking--
  }

  async #ask(domain: string): Promise<void> {
    try {
      const [first] = await this.#dns.mailServers(domain)
      const provider = first === undefined ? null : (getDomain(first) ?? first)
      this.#failures = 0
      this.#known.set(domain, provider)
      this.#found.push({ domain, provider })
    } catch (error) {
      if (!(error instanceof DnsUnavailable)) throw error
      this.#failures++
    }
  }
}
