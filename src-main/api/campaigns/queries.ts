import type { Kysely, Selectable } from 'kysely'
import type { CampaignContentsTable, CampaignsTable, DispatchesTable } from './tables.ts'
import type { Schema } from '../../database/schema.ts'
import { notFound } from '../../base/errors.ts'
import { formatOptionalTime, formatTime } from '../../base/times.ts'
import { type Page, pageOf } from '../../http/pagination.ts'
import {
  bounceAddress,
  bounceEmailId,
  bounceEmailsOf,
  urlDomainsOf,
  virtualMtasOf
} from '../delivery-settings/queries.ts'
import { systemDefaultRoute } from '../delivery-settings/schema.ts'
import { type CampaignStatistics, statisticsOfCampaigns, summaryOfSlices } from '../statistics/queries.ts'
import { summaryOf } from '../statistics/rules.ts'
import type { StatisticCounts } from '../statistics/schema.ts'
import { stateDescriptions, xCampaignId } from './rules.ts'
import type {
  CampaignDetail,
  CampaignSummary,
  Content,
  Dispatch,
  TemplateDetail,
  TemplateSummary
} from './schema.ts'

export type CampaignRow = Selectable<CampaignsTable>
export type ContentRow = Selectable<CampaignContentsTable>
export type DispatchRow = Selectable<DispatchesTable>

/** A campaign or template with the names of its references. */
export interface NamedCampaign extends CampaignRow {
  organization_id: number
  organization_name: string
  mailing_list_name: string
}

function campaignsOf(db: Kysely<Schema>, organizationId: number, kind: 'campaign' | 'template') {
  return db
    .selectFrom('campaigns')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'campaigns.mailing_list_id')
    .innerJoin('organizations', 'organizations.id', 'mailing_lists.organization_id')
    .selectAll('campaigns')
    .select([
      'organizations.id as organization_id',
      'organizations.name as organization_name',
      'mailing_lists.name as mailing_list_name'
    ])
    .where('organizations.id', '=', organizationId)
    .where('mailing_lists.deleted_at', 'is', null)
    .where('campaigns.deleted_at', 'is', null)
    .where('is_template', '=', Number(kind === 'template'))
}

/** @throws ApiError not_found */
export async function campaignById(
  db: Kysely<Schema>,
  organizationId: number,
  id: number,
  kind: 'campaign' | 'template' = 'campaign'
): Promise<NamedCampaign> {
  const row = await campaignsOf(db, organizationId, kind).where('campaigns.id', '=', id).executeTakeFirst()
  if (!row) throw notFound(kind, id)
  return row
}

/** Limits the start time of listed campaigns, in UNIX milliseconds. */
export interface StartedBetween {
  from?: number | undefined
  /** Exclusive. */
  before?: number | undefined
}

/**
 * Returns the campaign of a stat_id.
 * @throws ApiError not_found
 */
export async function campaignIdOfStat(db: Kysely<Schema>, statId: number): Promise<number> {
  const row = await db.selectFrom('stats').select('campaign_id').where('id', '=', statId).executeTakeFirst()
  if (row?.campaign_id == null) throw notFound('stat', statId)
  return row.campaign_id
}

/** The campaigns of a list, or with null of the organization, by id. */
export function campaignsOfList(
  db: Kysely<Schema>,
  organizationId: number,
  mailingListId: number | null,
  { from, before }: StartedBetween
): Promise<NamedCampaign[]> {
  let query = campaignsOf(db, organizationId, 'campaign')
  if (mailingListId !== null) query = query.where('mailing_list_id', '=', mailingListId)
  if (from !== undefined || before !== undefined) {
    query = query.where('campaigns.id', 'in', (select) => {
      let started = select
        .selectFrom('dispatches')
        .select('campaign_id')
        // docs/api.md, "Campaigns": either filter limits the answer to these.
        .where('state', 'in', ['sending', 'finished', 'cancelled', 'failed'])
      if (from !== undefined) started = started.where('started_at', '>=', from)
      if (before !== undefined) started = started.where('started_at', '<', before)
      return started
    })
  }
  return query.orderBy('campaigns.id').execute()
}

export interface CampaignChoice {
  /** null = all lists of the organization. */
  mailingListId: number | null
  isArchived: boolean
  /** Only campaigns that are being sent or scheduled, archived or not. */
  isPending: boolean
}

/** Newest first. */
export function campaignPage(
  db: Kysely<Schema>,
  organizationId: number,
  { mailingListId, isArchived, isPending }: CampaignChoice,
  page: Page
): Promise<{ rows: NamedCampaign[]; total: number }> {
  const found = campaignsOf(db, organizationId, 'campaign')
    .$if(mailingListId !== null, (query) => query.where('mailing_list_id', '=', mailingListId))
    .$if(!isPending, (query) => query.where('campaigns.archived', '=', Number(isArchived) as 0 | 1))
    .$if(isPending, (query) =>
      query.where('campaigns.id', 'in', (select) =>
        select.selectFrom('dispatches').select('campaign_id').where('state', 'in', ['scheduled', 'sending'])
      )
    )
    .orderBy('campaigns.id', 'desc')
  return pageOf(found, page)
}

/** The templates of a list, or with null of the organization, by id. */
export function templatesOf(
  db: Kysely<Schema>,
  organizationId: number,
  mailingListId: number | null
): Promise<NamedCampaign[]> {
  return campaignsOf(db, organizationId, 'template')
    .$if(mailingListId !== null, (query) => query.where('mailing_list_id', '=', mailingListId))
    .orderBy('campaigns.id')
    .execute()
}

export function contentsOf(db: Kysely<Schema>, campaignIds: number[]): Promise<ContentRow[]> {
  return db
    .selectFrom('campaign_contents')
    .selectAll()
    .where('campaign_id', 'in', campaignIds)
    .orderBy('id')
    .execute()
}

export function dispatchOf(db: Kysely<Schema>, campaignId: number): Promise<DispatchRow | undefined> {
  return db.selectFrom('dispatches').selectAll().where('campaign_id', '=', campaignId).executeTakeFirst()
}

/** Returns the seed lists of a dispatch, or a list's default ones, by id. */
export async function seedListIdsOf(
  db: Kysely<Schema>,
  owner: { campaignId: number } | { mailingListId: number }
): Promise<number[]> {
  const rows =
    'campaignId' in owner
      ? await db
          .selectFrom('dispatch_seed_lists')
          .select('seed_list_id')
          .where('campaign_id', '=', owner.campaignId)
          .execute()
      : await db
          .selectFrom('mailing_list_seed_lists')
          .select('seed_list_id')
          .where('mailing_list_id', '=', owner.mailingListId)
          .execute()
  return rows.map((row) => row.seed_list_id).sort((a, b) => a - b)
}

/** The related records of an organization's campaigns, read once for all. */
interface Parts {
  contentsOf(campaignId: number): ContentRow[]
  dispatchOf(campaignId: number): DispatchRow | undefined
  presentDispatch(row: DispatchRow): Dispatch
  segmentName(segmentId: number | null): string | null
  /** undefined before sending started. */
  statisticsOf(campaignId: number): CampaignStatistics | undefined
}

async function readParts(
  db: Kysely<Schema>,
  organizationId: number,
  campaigns: readonly CampaignRow[],
  timeZone: string
): Promise<Parts> {
  const ids = campaigns.map(({ id }) => id)
  const contents = Map.groupBy(await contentsOf(db, ids), (row) => row.campaign_id)
  const dispatches = await db.selectFrom('dispatches').selectAll().where('campaign_id', 'in', ids).execute()
  const dispatchOfCampaign = new Map(dispatches.map((row) => [row.campaign_id, row]))
  const segmentIds = campaigns.flatMap((row) => (row.segment_id === null ? [] : [row.segment_id]))
  const segments = await db
    .selectFrom('segments')
    .select(['id', 'name'])
    .where('id', 'in', [...new Set(segmentIds)])
    .execute()
  const segmentNames = new Map(segments.map(({ id, name }) => [id, name]))
  const statistics = await statisticsOfCampaigns(db, ids)
  return {
    contentsOf: (id) => contents.get(id) ?? [],
    dispatchOf: (id) => dispatchOfCampaign.get(id),
    presentDispatch: await dispatchPresenter(db, organizationId, ids, timeZone),
    segmentName: (id) => segmentNames.get(id ?? 0) ?? null,
    statisticsOf: (id) => statistics.get(id)
  }
}

/** Returns a function that presents dispatches (docs/api.md, "Campaigns"). */
async function dispatchPresenter(
  db: Kysely<Schema>,
  organizationId: number,
  campaignIds: number[],
  timeZone: string
): Promise<(row: DispatchRow) => Dispatch> {
  const virtualMtas = new Map((await virtualMtasOf(db, organizationId)).map((each) => [each.id, each]))
  const urlDomains = new Map((await urlDomainsOf(db, organizationId)).map((each) => [each.id, each]))
  const bounceEmails = new Map((await bounceEmailsOf(db, organizationId)).map((each) => [each.userId, each]))
  const seedLists = Map.groupBy(
    await db
      .selectFrom('dispatch_seed_lists')
      .innerJoin('seed_lists', 'seed_lists.id', 'dispatch_seed_lists.seed_list_id')
      .select(['campaign_id', 'seed_lists.id', 'seed_lists.name'])
      .where('campaign_id', 'in', campaignIds)
      .orderBy('seed_lists.id')
      .execute(),
    (each) => each.campaign_id
  )
  return (row) => {
    const virtualMta = virtualMtas.get(row.virtual_mta_id ?? 0)
    const domain = urlDomains.get(row.url_domain_id ?? 0)?.domain ?? null
    const bounceEmail = bounceEmails.get(row.bounce_email_id ?? 0)
    const bounceEmailAddress = bounceEmail ? bounceAddress(bounceEmail) : null
    const seeds = (seedLists.get(row.campaign_id) ?? []).map(({ id, name }) => ({ id, name }))
    return {
      state: row.state,
      state_description: stateDescriptions[row.state],
      virtual_mta_id: row.virtual_mta_id ?? 0,
      virtual_mta_name: virtualMta?.name ?? systemDefaultRoute,
      virtual_mta_type: virtualMta?.type ?? 'default_route',
      bounce_email_id: bounceEmail ? bounceEmailId(bounceEmail) : null,
      bounce_email_name: bounceEmailAddress,
      bounce_email_user_id: bounceEmail?.userId ?? null,
      bounce_email_domain_id: bounceEmail?.domainId ?? null,
      bounce_email_email: bounceEmailAddress,
      url_domain_id: row.url_domain_id,
      url_domain_name: domain,
      url_domain_domain: domain,
      seed_list_id: seeds[0]?.id ?? null,
      seed_list_name: seeds[0]?.name ?? null,
      seed_lists: seeds,
      speed: row.speed,
      track_opens: row.track_opens === 1,
      track_links: row.track_links === 1,
      paused: row.paused === 1,
      from_name: row.from_name,
      from_email: row.from_email,
      reply_to: row.reply_to,
      sender_email: row.sender_email,
      begins_at: formatOptionalTime(row.begins_at, timeZone),
      started_at: formatOptionalTime(row.started_at, timeZone),
      finished_at: formatOptionalTime(row.finished_at, timeZone),
      autowinner_enabled: row.autowinner_enabled === 1,
      autowinner_percentage: row.autowinner_percentage,
      autowinner_delay_amount: row.autowinner_delay_amount,
      autowinner_delay_unit: row.autowinner_delay_unit ?? 'minutes',
      autowinner_metric: row.autowinner_metric,
      special_sending_rule_id: null,
      special_sending_rule_name: null
    }
  }
}

function basicsOf(row: NamedCampaign, contents: ContentRow[], timeZone: string) {
  const [first] = contents
  return {
    id: row.id,
    name: row.name,
    mailing_list_id: row.mailing_list_id,
    mailing_list_name: row.mailing_list_name,
    content_subject: first?.subject ?? null,
    email_format: first?.format ?? null,
    content_html: first?.html ?? null,
    content_text: first?.text ?? null,
    segmentation_criteria_id: row.segment_id,
    created_at: formatTime(row.created_at, timeZone),
    updated_at: formatTime(row.updated_at, timeZone),
    organization_id: row.organization_id,
    organization_name: row.organization_name,
    archived: row.archived === 1,
    content_determined: contents.length > 0,
    active_html_editor: row.html_editor
  }
}

/** docs/api.md, "Campaigns". */
export async function presentCampaignSummaries(
  db: Kysely<Schema>,
  organizationId: number,
  rows: NamedCampaign[],
  timeZone: string
): Promise<CampaignSummary[]> {
  const parts = await readParts(db, organizationId, rows, timeZone)
  return rows.map((row) => {
    const dispatch = parts.dispatchOf(row.id)
    const state = dispatch?.state ?? 'idle'
    const statistics = parts.statisticsOf(row.id)
    return {
      ...basicsOf(row, parts.contentsOf(row.id), timeZone),
      ...(dispatch && { dispatch: parts.presentDispatch(dispatch) }),
      state,
      state_description: stateDescriptions[state],
      paused: dispatch?.paused === 1,
      begins_at: formatOptionalTime(dispatch?.begins_at ?? null, timeZone),
      started_at: formatOptionalTime(dispatch?.started_at ?? null, timeZone),
      finished_at: formatOptionalTime(dispatch?.finished_at ?? null, timeZone),
      stats: statistics ? summaryOfSlices(statistics.slices) : null
    }
  })
}

async function detailOf(db: Kysely<Schema>, row: NamedCampaign, timeZone: string) {
  const parts = await readParts(db, row.organization_id, [row], timeZone)
  const contents = parts.contentsOf(row.id)
  const dispatch = parts.dispatchOf(row.id)
  const statistics = parts.statisticsOf(row.id)
  return {
    ...basicsOf(row, contents, timeZone),
    segmentation_criteria_name: parts.segmentName(row.segment_id),
    segmentation_criteria_remote_sql: row.remote_sql,
    campaign_contents: contents.map(presentContent),
    ...(dispatch && { dispatch: parts.presentDispatch(dispatch) }),
    content_stats: contents.map(({ id, name }) => {
      const slice = statistics?.slices.find(({ contentId }) => contentId === id)
      return {
        content: { id, name },
        stat_summary: slice
          ? { ...summaryOf(slice.counters, slice.byCode), stat_slice_id: slice.sliceId }
          : null
      }
    }),
    automatic_winner_selection: await winnerSelectionOf(db, row.id, contents, timeZone),
    template: row.is_template === 1,
    stat_summary: statistics ? { ...summaryOfSlices(statistics.slices), stat_id: statistics.statId } : null
  }
}

/** Returns how the winner of a split test is chosen (docs/api.md, "Campaigns"), or null. */
async function winnerSelectionOf(
  db: Kysely<Schema>,
  campaignId: number,
  contents: ContentRow[],
  timeZone: string
): Promise<CampaignDetail['automatic_winner_selection']> {
  const delivery = await deliveryOf(db, campaignId)
  if (!delivery || delivery.phase === 'everybody') return null
  const rows = await db
    .selectFrom('stat_snapshots')
    .innerJoin('stat_slices', 'stat_slices.id', 'stat_snapshots.stat_slice_id')
    .innerJoin('stats', 'stats.id', 'stat_slices.stat_id')
    .select([
      'stat_snapshots.id',
      'content_id',
      'snapshot_group',
      'stat_id',
      'stat_slice_id',
      'counts',
      'taken_at'
    ])
    .where('campaign_id', '=', campaignId)
    .orderBy('stat_snapshots.id')
    .execute()
  const nameOf = (id: number | null): string => contents.find((content) => content.id === id)?.name ?? ''
  const winner = delivery.winning_content_id
  return {
    state: delivery.phase === 'winner' ? 'finished' : delivery.phase,
    winning_content: winner === null ? null : { id: winner, name: nameOf(winner) },
    snapshots: rows.map(({ content_id, counts, taken_at, ...row }) => ({
      content: { id: content_id ?? 0, name: nameOf(content_id), is_winner: content_id === winner },
      snapshot: {
        ...(JSON.parse(counts) as StatisticCounts),
        ...row,
        taken_at: formatTime(taken_at, timeZone)
      }
    }))
  }
}

function presentContent({ id, name, subject, format, html, text }: ContentRow): Content {
  return { id, name, subject, format, html, text }
}

/** docs/api.md, "Campaigns". */
export async function presentCampaign(
  db: Kysely<Schema>,
  row: NamedCampaign,
  timeZone: string,
  { withEngineSendId = false } = {}
): Promise<CampaignDetail> {
  return {
    ...(await detailOf(db, row, timeZone)),
    x_campaign_id: xCampaignId(row),
    ...(withEngineSendId && { engine_sendid: `c${row.id}` })
  }
}

/** docs/api.md, "Templates". */
export async function presentTemplate(
  db: Kysely<Schema>,
  row: NamedCampaign,
  timeZone: string
): Promise<TemplateDetail> {
  return { ...(await detailOf(db, row, timeZone)), stat_summary: null, custom_dynamic_template_id: null }
}

export function presentTemplateSummary(row: NamedCampaign): TemplateSummary {
  return {
    id: row.id,
    name: row.name,
    mailing_list_id: row.mailing_list_id,
    mailing_list_name: row.mailing_list_name,
    organization_id: row.organization_id,
    segmentation_criteria_id: row.segment_id
  }
}

/** Returns the progress of a campaign's delivery; undefined before it began. */
export function deliveryOf(db: Kysely<Schema>, campaignId: number) {
  return db.selectFrom('deliveries').selectAll().where('campaign_id', '=', campaignId).executeTakeFirst()
}

/** Returns the number of recipients and the transport of those campaigns whose delivery has begun, by id. */
export async function deliveriesOf(db: Kysely<Schema>, campaignIds: number[]) {
  const rows = await db
    .selectFrom('deliveries')
    .select(['campaign_id', 'recipients', 'transport'])
    .where('campaign_id', 'in', campaignIds)
    .execute()
  return new Map(rows.map((row) => [row.campaign_id, row]))
}
