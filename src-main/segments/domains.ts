import type { Database } from 'better-sqlite3'
import { type Kysely, sql } from 'kysely'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Schema } from '../database/schema.ts'
import { domainOfEmail } from '../api/segments/condition-queries.ts'
import type { SubscriberStatus } from '../api/subscribers/schema.ts'
import type { SegmentCounts } from '../api/segments/queries.ts'
import { zeroCounts } from '../api/subscriber-counts/queries.ts'
import { maxCorrected } from '../api/bulk-actions/rules.ts'
import { likelyDomain } from './misspelt-domains.ts'
import { byPieces } from './pieces.ts'

export interface ListDomains {
  total: number
  largest: { domain: string; subscribers: number; counts: SegmentCounts }[]
  /** Domains that look misspelled, with the probably intended one; those with the most subscribers first. */
  misspelt: { domain: string; suggestion: string; subscribers: number }[]
}

const maxLargest = 100
/** Domains that are looked at before another question may be answered. */
const lookedAtOnce = 5_000

/** @throws the reason of the signal, once it is aborted */
export async function domainsOfList(
  database: Database,
  db: Kysely<Schema>,
  mailingListId: number,
  signal: AbortSignal
): Promise<ListDomains> {
  const counts = new Map<string, SegmentCounts>()
  const { sql: text, parameters } = db
    .selectFrom('subscribers')
    .select([domainOfEmail.as('domain'), 'status'])
    .select((select) => select.fn.countAll<number>().as('subscribers'))
    .where('mailing_list_id', '=', mailingListId)
    .where('id', '>', sql.val(0))
    .where('id', '<=', sql.val(0))
    .groupBy(['domain', 'status'])
    .compile()
  const piece = database.prepare(text).raw()
  const own = parameters.slice(0, -2)
  await byPieces(db, mailingListId, signal, (after, upTo) => {
    const rows = piece.all(...own, after, upTo) as [string, SubscriberStatus, number][]
    for (const [domain, status, subscribers] of rows) {
      const of = counts.get(domain) ?? zeroCounts()
      of[status] += subscribers
      counts.set(domain, of)
    }
  })
  const all = [...counts]
    .map(([domain, of]) => ({
      domain,
      counts: of,
      subscribers: Object.values(of).reduce((sum, count) => sum + count, 0)
    }))
    .sort((a, b) => b.subscribers - a.subscribers || (a.domain < b.domain ? -1 : 1))
  const misspelt: ListDomains['misspelt'] = []
  for (const [index, { domain, subscribers }] of all.entries()) {
    if (index % lookedAtOnce === 0) {
      await nextTurn()
      signal.throwIfAborted()
    }
    const suggestion = likelyDomain(domain)
    if (suggestion !== null) misspelt.push({ domain, suggestion, subscribers })
    if (misspelt.length === maxCorrected) break
  }
  return {
    total: all.length,
    largest: all.slice(0, maxLargest),
    misspelt
  }
}
