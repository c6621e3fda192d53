import type { Time } from '../../database/schema.ts'
import type { StoredPace } from './domain-pace.ts'

/** The mail provider of a recipients' domain, as the DNS said. */
export interface RecipientDomainsTable {
  domain: string
  /** null = the domain has no mail server. */
  provider: string | null
  looked_up_at: Time
}

/** A domain, or a provider, that asked for fewer messages. */
export interface SlowDomainsTable extends StoredPace {
  updated_at: Time
}

declare module '../../database/schema.ts' {
  interface Schema {
    recipient_domains: RecipientDomainsTable
    slow_domains: SlowDomainsTable
  }
}
