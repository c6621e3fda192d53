import { Resolver } from 'node:dns/promises'

/** Answers of the DNS that mean: there is no such record. */
const absent = new Set(['ENOTFOUND', 'ENODATA', 'NOTFOUND', 'NODATA'])
/** The most that a record's strings may have together, in characters: what is longer is no record of mail. */
const longestRecord = 10_000

/** Thrown where the DNS gives no answer: there is no network, or the server of a domain fails. */
export class DnsUnavailable extends Error {}

/** Reads what other domains publish about their mail. */
export class Dns {
  readonly #resolver = new Resolver({ timeout: 3000, tries: 2 })

  /** @param servers such as 127.0.0.1:5353; none = those of the system */
  constructor(servers: readonly string[] = []) {
    if (servers.length > 0) this.#resolver.setServers(servers)
  }

  /** Returns the TXT records of a name, each in one piece. @throws DnsUnavailable */
  async texts(name: string): Promise<string[]> {
    const records = await this.#ask(name, () => this.#resolver.resolveTxt(name))
    return (records ?? []).map((parts) => parts.join('').slice(0, longestRecord))
  }

  /** Returns the mail servers of a domain, the preferred ones first. @throws DnsUnavailable */
  async mailServers(domain: string): Promise<string[]> {
    const records = await this.#ask(domain, () => this.#resolver.resolveMx(domain))
    return (records ?? [])
      .sort((a, b) => a.priority - b.priority)
      .map(({ exchange }) => exchange.toLowerCase())
      .filter((exchange) => exchange !== '' && exchange !== '.')
  }

  /** True if a name has an address. @throws DnsUnavailable */
  async hasAddress(name: string): Promise<boolean> {
    const four = await this.#ask(name, () => this.#resolver.resolve4(name))
    if (four !== null) return four.length > 0
    return ((await this.#ask(name, () => this.#resolver.resolve6(name)))?.length ?? 0) > 0
  }

  /** @returns null if there is no such record */
  async #ask<Answer>(name: string, ask: () => Promise<Answer>): Promise<Answer | null> {
    try {
      return await ask()
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== undefined && absent.has(code)) return null
      throw new DnsUnavailable(`${name}: ${code ?? String(error)}`, { cause: error })
    }
  }
}
