import type { ContentFormat } from '../autoresponders/schema.ts'
import {
  counterNames,
  type Counters,
  type RateName,
  type ReportedStatistics,
  type StatisticCounts,
  type StatSummary
} from './schema.ts'

export function noCounters(): Counters {
  return Object.fromEntries(counterNames.map((name) => [name, 0])) as Counters
}

const sentCounter = { both: 'sent_multipart', html: 'sent_html', text: 'sent_text' } as const

/**
 * Counts a message that goes out.
 * @param isSeed true if it is to a seed list, whose addresses are no recipients
 * @param by -1 takes it back
 */
export function countInjected(
  counters: Partial<Counters>,
  format: ContentFormat,
  isSeed: boolean,
  by: 1 | -1
): void {
  const names = [
    'messages_sent',
    sentCounter[format],
    format === 'text' ? 'messages_text' : 'messages_html'
  ] as const
  for (const name of ['total_messages', ...(isSeed ? [] : names)] as const) {
    counters[name] = (counters[name] ?? 0) + by
  }
}

export function sumCounters(all: Iterable<Counters>): Counters {
  const sums = noCounters()
  for (const counters of all) for (const name of counterNames) sums[name] += counters[name]
  return sums
}

/** Returns counters without what programs opened and clicked. */
export function countersOfPeople(
  counters: Counters,
  machines: { opens_total: number; opens_only: number; clicks_total: number; clicks_only: number }
): Counters {
  return {
    ...counters,
    opens_total: counters.opens_total - machines.opens_total,
    opens_unique: counters.opens_unique - machines.opens_only,
    clicks_total: counters.clicks_total - machines.clicks_total,
    clicks_unique: counters.clicks_unique - machines.clicks_only
  }
}

/**
 * Returns the counts of a summary (docs/api.md, "Statistics").
 * @param byCode bounce code -> unique bounces; null without bounces
 */
export function countsOf(counters: Counters, byCode: Record<string, number> | null): StatisticCounts {
  const { delivered, ...shown } = counters
  const bounces = counters.bounces_unique_local + counters.bounces_unique_remote
  // A local bounce was never accepted. A remote bounce was accepted first and is subtracted.
  const accepted = delivered - counters.bounces_unique_remote
  return {
    ...shown,
    bounces_unique: bounces,
    bounced: bounces,
    bounces_unique_by_code: byCode,
    duplicate_bounces: counters.bounces_total - bounces,
    unbounced: counters.messages_sent - bounces,
    duplicate_clicks: counters.clicks_total - counters.clicks_unique,
    unclicked: Math.max(0, accepted - counters.clicks_unique),
    unopened: Math.max(0, accepted - counters.opens_unique),
    duplicate_opens: counters.opens_total - counters.opens_unique,
    duplicate_scomps: counters.scomps_total - counters.scomps_unique,
    duplicate_unsubs: counters.unsubs_total - counters.unsubs_unique,
    accepted,
    in_queue: Math.max(0, counters.messages_sent - delivered - counters.bounces_unique_local),
    max_unique_activities: Math.max(
      counters.opens_unique,
      counters.clicks_unique,
      counters.unsubs_unique,
      counters.scomps_unique
    )
  }
}

/** The rates of a summary (docs/api.md, "Statistics"). */
export function ratesOf(counts: StatisticCounts): Record<RateName, number> {
  const { messages_sent: sent, accepted, bounces_unique: bounces, opens_unique: opens } = counts
  return {
    bounce_rate: ratio(bounces, sent),
    bounce_rate_hard: ratio(counts.bounces_unique_hard, bounces),
    bounce_rate_soft: ratio(counts.bounces_unique_soft, bounces),
    bounce_rate_other: ratio(counts.bounces_unique_other, bounces),
    bounce_local_rate: ratio(counts.bounces_unique_local, bounces),
    click_rate: ratio(counts.clicks_unique, accepted),
    click_to_open_rate: ratio(counts.clicks_unique, opens),
    open_rate: ratio(opens, accepted),
    open_ratio: ratio(counts.opens_total, opens),
    scomp_rate: ratio(counts.scomps_unique, accepted),
    unsub_rate: ratio(counts.unsubs_unique, accepted),
    accepted_rate: ratio(accepted, sent),
    in_queue_rate: ratio(counts.in_queue, sent)
  }
}

/** Returns a complete summary of a content, campaign, autoresponder, or list and period. */
export function summaryOf(counters: Counters, byCode: Record<string, number> | null): StatSummary {
  const counts = countsOf(counters, byCode)
  return { ...counts, ...ratesOf(counts) }
}

/**
 * Returns a summary in the form of system_campaigns (docs/api.md, "Statistics").
 * @param recipients null while they are counted
 */
export function reportedStatistics(summary: StatSummary, recipients: number | null): ReportedStatistics {
  const skip = summary.skips_error + summary.skips_request
  const done = summary.messages_sent + skip
  const total = Math.max(recipients ?? 0, done)
  return {
    recipients: { total, sent: summary.messages_sent, skip, remaining: total - done },
    sent: {
      total: summary.messages_sent,
      accepted: summary.accepted,
      bounced: summary.bounced,
      in_queue: summary.in_queue
    },
    skip: { ssr_failure: summary.skips_error, ssr_request: summary.skips_request },
    open: { total: summary.opens_total, unique: summary.opens_unique },
    click: { total: summary.clicks_total, unique: summary.clicks_unique },
    bounce: {
      total: summary.bounces_total,
      unique: summary.bounces_unique,
      hard: summary.bounces_unique_hard,
      soft: summary.bounces_unique_soft,
      other: summary.bounces_unique_other,
      subscribers_updated: summary.bounces_status_updated
    },
    scomp: {
      total: summary.scomps_total,
      unique: summary.scomps_unique,
      subscribers_updated: summary.scomps_status_updated
    },
    unsub: {
      total: summary.unsubs_total,
      unique: summary.unsubs_unique,
      subscribers_updated: summary.unsubs_status_updated
    }
  }
}

/** Returns a ratio with five decimals, as in the published example; 0 for a total of 0. */
function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 100_000) / 100_000
}
