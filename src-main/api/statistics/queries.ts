import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import { countersOfPeople, noCounters, reportedStatistics, sumCounters, summaryOf } from './rules.ts'
import { counterNames, type Counters, type ReportedCampaign, type StatSummary } from './schema.ts'
import { type Page, pageOf } from '../../http/pagination.ts'

/** The counters of a slice. */
export interface Counted {
  counters: Counters
  /** Bounce code -> unique bounces; null without bounces. */
  byCode: Record<string, number> | null
}

/** The counters of one content. */
export interface SliceStatistics extends Counted {
  sliceId: number
  contentId: number
}

/** The counters of a campaign by content. */
export interface CampaignStatistics {
  statId: number
  slices: SliceStatistics[]
}

/** Returns the statistics of started campaigns, by id. */
export async function statisticsOfCampaigns(
  db: Kysely<Schema>,
  campaignIds: number[]
): Promise<Map<number, CampaignStatistics>> {
  const slices = await db
    .selectFrom('stats')
    .innerJoin('stat_slices', 'stat_slices.stat_id', 'stats.id')
    .select(['campaign_id', 'stats.id as stat_id', 'stat_slices.id', 'content_id'])
    .where('campaign_id', 'in', campaignIds)
    .orderBy('content_id')
    .execute()
  const counted = await countedOf(
    db,
    slices.map(({ id }) => id)
  )
  const statistics = new Map<number, CampaignStatistics>()
  for (const { id, campaign_id, stat_id, content_id } of slices) {
    const campaign = statistics.get(campaign_id ?? 0) ?? { statId: stat_id, slices: [] }
    statistics.set(campaign_id ?? 0, campaign)
    campaign.slices.push({ sliceId: id, contentId: content_id ?? 0, ...counted(id) })
  }
  return statistics
}

/** Returns the counters of a content with only what people did. */
export async function peopleOfSlice(
  db: Kysely<Schema>,
  { sliceId, counters }: SliceStatistics
): Promise<Counters> {
  const row = await db
    .selectFrom('stat_machine_counters')
    .selectAll()
    .where('stat_slice_id', '=', sliceId)
    .executeTakeFirst()
  return row ? countersOfPeople(counters, row) : counters
}

/** Returns what people did with the messages of a campaign; null before its start. */
export async function peopleOfCampaign(db: Kysely<Schema>, campaignId: number): Promise<Counters | null> {
  const campaign = (await statisticsOfCampaigns(db, [campaignId])).get(campaignId)
  if (!campaign) return null
  return sumCounters(await Promise.all(campaign.slices.map((slice) => peopleOfSlice(db, slice))))
}

/** Summarizes several contents. */
export function summaryOfSlices(slices: readonly Counted[]): StatSummary {
  const codes: Record<string, number> = {}
  for (const { byCode } of slices) {
    for (const [code, count] of Object.entries(byCode ?? {})) codes[code] = (codes[code] ?? 0) + count
  }
  const byCode = Object.keys(codes).length > 0 ? codes : null
  return summaryOf(sumCounters(slices.map(({ counters }) => counters)), byCode)
}

/** UNIX milliseconds; the end is excluded. */
export interface Period {
  from: number
  before: number
}

/** Summarizes an autoresponder over a period (docs/api.md, "Statistics"). */
export async function summaryOfAutoresponder(
  db: Kysely<Schema>,
  autoresponderId: number,
  period: Period
): Promise<StatSummary> {
  const slices = await db
    .selectFrom('stats')
    .innerJoin('stat_slices', 'stat_slices.stat_id', 'stats.id')
    .select('stat_slices.id')
    .where('autoresponder_id', '=', autoresponderId)
    .execute()
  const ids = slices.map(({ id }) => id)
  const counted = await countedOf(db, ids, period)
  return summaryOfSlices(ids.map(counted))
}

async function countedOf(
  db: Kysely<Schema>,
  sliceIds: number[],
  period?: Period
): Promise<(sliceId: number) => Counted> {
  const counters = await countersOf(db, sliceIds, period)
  const codes = await bounceCodesOf(db, sliceIds, period)
  return (id) => ({ counters: counters.get(id) ?? noCounters(), byCode: codes.get(id) ?? null })
}

/** Sums slices over all hours, or a period. */
async function countersOf(
  db: Kysely<Schema>,
  sliceIds: number[],
  period?: Period
): Promise<Map<number, Counters>> {
  let query = db
    .selectFrom('stat_counters')
    .select('stat_slice_id')
    .select((select) => counterNames.map((name) => select.fn.sum<number>(name).as(name)))
    .where('stat_slice_id', 'in', sliceIds)
    .groupBy('stat_slice_id')
  if (period) query = query.where('hour', '>=', period.from).where('hour', '<', period.before)
  const rows = await query.execute()
  return new Map(rows.map(({ stat_slice_id, ...counters }) => [stat_slice_id, counters]))
}

async function bounceCodesOf(
  db: Kysely<Schema>,
  sliceIds: number[],
  period?: Period
): Promise<Map<number, Record<string, number>>> {
  let query = db
    .selectFrom('stat_events')
    .select(['stat_slice_id', 'bounce_code'])
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('stat_slice_id', 'in', sliceIds)
    .where('type', '=', 'bounce')
    .where('is_unique', '=', 1)
    .where('bounce_code', 'is not', null)
    .groupBy(['stat_slice_id', 'bounce_code'])
  if (period) query = query.where('occurred_at', '>=', period.from).where('occurred_at', '<', period.before)
  const codes = new Map<number, Record<string, number>>()
  for (const { stat_slice_id, bounce_code, count } of await query.execute()) {
    codes.set(stat_slice_id, { ...codes.get(stat_slice_id), [bounce_code ?? '']: count })
  }
  return codes
}

export interface HourOfContent extends Counters {
  content_id: number
  /** UNIX milliseconds */
  hour: number
}

export async function hoursOfCampaign(db: Kysely<Schema>, campaignId: number): Promise<HourOfContent[]> {
  const rows = await db
    .selectFrom('stats')
    .innerJoin('stat_slices', 'stat_slices.stat_id', 'stats.id')
    .innerJoin('stat_counters', 'stat_counters.stat_slice_id', 'stat_slices.id')
    .select(['content_id', 'hour', ...counterNames])
    .where('campaign_id', '=', campaignId)
    .orderBy('hour')
    .orderBy('content_id')
    .execute()
  return rows.map((row) => ({ ...row, content_id: row.content_id ?? 0 }))
}

/** Counts messages of a period by hour, campaign and autoresponder. */
export function messagesSent(db: Kysely<Schema>, organizationId: number, { from, before }: Period) {
  return db
    .selectFrom('stat_counters')
    .innerJoin('stat_slices', 'stat_slices.id', 'stat_counters.stat_slice_id')
    .innerJoin('stats', 'stats.id', 'stat_slices.stat_id')
    .leftJoin('campaigns', 'campaigns.id', 'stats.campaign_id')
    .leftJoin('autoresponders', 'autoresponders.id', 'stats.autoresponder_id')
    .innerJoin('mailing_lists', (join) =>
      join.on((on) =>
        on(
          'mailing_lists.id',
          '=',
          on.fn.coalesce('campaigns.mailing_list_id', 'autoresponders.mailing_list_id')
        )
      )
    )
    .select([
      'hour',
      'campaign_id',
      'campaigns.name as campaign_name',
      'autoresponder_id',
      'autoresponders.name as autoresponder_name'
    ])
    .select((select) => select.fn.sum<number>('messages_sent').as('messages_sent'))
    .where('mailing_lists.organization_id', '=', organizationId)
    .where('hour', '>=', from)
    .where('hour', '<', before)
    .groupBy(['hour', 'stats.id'])
    .having(sql`sum(messages_sent)`, '>', 0)
    .orderBy('hour')
    .orderBy('campaign_id')
    .orderBy('autoresponder_id')
    .execute()
}

/** Converts to a pattern in which only * is special. */
function globOf(pattern: string): string {
  return pattern.replaceAll(/[?[]/g, '[$&]')
}

/** Returns the links of a campaign with their clicks (docs/api.md, "Statistics"). */
export async function linksOfCampaign(
  db: Kysely<Schema>,
  campaignId: number,
  { contentId, url }: { contentId?: number | undefined; url?: string | undefined },
  page: Page
) {
  let query = db
    .selectFrom('stats')
    .innerJoin('stat_slices', 'stat_slices.stat_id', 'stats.id')
    .innerJoin('stat_links', 'stat_links.stat_slice_id', 'stat_slices.id')
    .where('campaign_id', '=', campaignId)
  if (contentId !== undefined) query = query.where('content_id', '=', contentId)
  if (url !== undefined) query = query.where(sql<boolean>`lower(url) GLOB ${globOf(url.toLowerCase())}`)
  return pageOf(
    query
      .select(['stat_links.id as link_id', 'url', 'clicks_total', 'clicks_unique', 'clicks_unique_by_link'])
      .orderBy(sql`lower(url)`)
      .orderBy('stat_links.id'),
    page
  )
}

export interface SystemCampaignFilter {
  from?: number | undefined
  /** Exclusive. */
  before?: number | undefined
  /** True = exclude campaigns that are being sent. */
  excludeActive: boolean
}

/** Returns started campaigns of all organizations by start time (docs/api.md, "Statistics"). */
export async function systemCampaigns(
  db: Kysely<Schema>,
  { from, before, excludeActive }: SystemCampaignFilter,
  page: Page
): Promise<{ rows: ReportedCampaign[]; total: number }> {
  let query = db
    .selectFrom('dispatches')
    .innerJoin('campaigns', 'campaigns.id', 'dispatches.campaign_id')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'campaigns.mailing_list_id')
    .innerJoin('organizations', 'organizations.id', 'mailing_lists.organization_id')
    .innerJoin('deliveries', 'deliveries.campaign_id', 'campaigns.id')
    .where('started_at', 'is not', null)
    .where('campaigns.deleted_at', 'is', null)
  if (from !== undefined) query = query.where('started_at', '>=', from)
  if (before !== undefined) query = query.where('started_at', '<', before)
  if (excludeActive) query = query.where('state', '<>', 'sending')
  const { rows, total } = await pageOf(
    query
      .select([
        'campaigns.id',
        'campaigns.name',
        'state',
        'paused',
        'recipients',
        'mailing_list_id',
        'mailing_lists.name as mailing_list_name',
        'organization_id',
        'organizations.name as organization_name'
      ])
      .orderBy('started_at')
      .orderBy('campaigns.id'),
    page
  )
  const statistics = await statisticsOfCampaigns(
    db,
    rows.map(({ id }) => id)
  )
  return {
    rows: rows.map((row) => ({
      organization: { id: row.organization_id, name: row.organization_name },
      mailing_list: { id: row.mailing_list_id, name: row.mailing_list_name },
      campaign: {
        id: row.id,
        name: row.name,
        state: row.state,
        paused: row.paused === 1,
        stats: reportedStatistics(summaryOfSlices(statistics.get(row.id)?.slices ?? []), row.recipients)
      }
    })),
    total
  }
}

/** True if the recipients of a campaign are known; also before it was sent. */
export async function keepsRecipients(db: Kysely<Schema>, campaignId: number): Promise<boolean> {
  const row = await db
    .selectFrom('stats')
    .select('keeps_recipients')
    .where('campaign_id', '=', campaignId)
    .executeTakeFirst()
  return row?.keeps_recipients !== 0
}
