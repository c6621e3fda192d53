import { journalStates } from '../api/journal/schema.ts'
import { storeRefusal } from '../base/stored-refusal.ts'
import type { Selectable, Updateable } from 'kysely'
import { randomBytes } from 'node:crypto'
import { type Command, type CommandContext, inBackground, recordRow } from '../database/command.ts'
import type { DeliveriesTable, DeliveryWait } from '../api/campaigns/tables.ts'
import { deliveryOptionsOf, serversOfRoute } from '../api/smtp-servers/queries.ts'
import type { DeliveryPlan } from './plan.ts'
import type { PreviewOutcome, PreviewSubject } from './previews.ts'
import { Journal, type ResolvedMessage } from './journal.ts'
import type { CampaignStep } from './smtp/campaign-work.ts'
import type { Advanced, ClaimInput } from './smtp/smtp-work.ts'
import { hasChangedSince, smtpRouteOf } from './route-plan.ts'
import { recordNews } from './smtp/pace-store.ts'
import { type Quota, takeQuota } from './smtp/quota.ts'
import type { RetrySchedule } from './smtp/retry-schedule.ts'
import { evenShares, type Shares } from './split-test.ts'
import { validationFailed } from '../base/errors.ts'
import { type Refusal, refusal } from '../base/refusal.ts'
import { dueTime } from '../jobs/due.ts'
import type { JobEnd } from '../jobs/outcome.ts'
import { type FieldDefinition, presentValue, type StoredValues } from '../api/custom-fields/rules.ts'
import { replacementKey } from '../api/autoresponders/rules.ts'
import { storeRemoteRecipients } from '../api/remote-lists/commands.ts'
import { findSpool } from '../api/remote-lists/queries.ts'
import { lastRemoteId } from '../api/remote-lists/recipient-ids.ts'
import { readingGivenUp } from '../api/remote-lists/rules.ts'
import { fieldOfColumn, valuesOfColumns } from '../remote-lists/fields.ts'
import type { FilledSpool } from '../remote-lists/fill-spool.ts'
import type { HandedOverRecipient } from './recipients.ts'
import type { AutowinnerMetric } from '../api/mailing-lists/schema.ts'
import { resolveConditions } from '../api/segments/settled.ts'
import { clauseOf, requireListsOf } from '../api/segments/queries.ts'
import { incrementCounter } from '../api/statistics/counting.ts'
import { peopleOfSlice, statisticsOfCampaigns } from '../api/statistics/queries.ts'
import { countsOf, sumCounters } from '../api/statistics/rules.ts'
import type { Counters } from '../api/statistics/schema.ts'
import { type CampaignToSend, campaignToSend, campaignPlanOf } from './campaign-plan.ts'
import {
  campaignById,
  contentsOf,
  deliveryOf,
  type DispatchRow,
  dispatchOf,
  seedListIdsOf
} from '../api/campaigns/queries.ts'
import { appendOnce, appendToLog } from '../api/campaigns/log.ts'
import { delayMs, winnerOf } from '../api/campaigns/rules.ts'

interface ById {
  id: number
}

interface UnderWay {
  campaign: CampaignToSend
  dispatch: DispatchRow
  delivery: Selectable<DeliveriesTable>
}

/**
 * Hands a campaign that is due to its thread; the first time its sending begins with this.
 * @returns null when it is not to be worked on (any more)
 */
const handOutDelivery: Command<ById & { linkBase: string }, DeliveryPlan | null> = async (
  context,
  { id, linkBase }
) => {
  const dispatch = await dispatchOf(context.db, id)
  if (dispatch?.state === 'scheduled' && dispatch.paused === 0 && hasCome(context, dispatch)) {
    await startSending(context, id, dispatch)
  }
  await decideWinner(context, id)
  const found = await underWay(context, id)
  if (!found || found.delivery.phase === 'decision_delay') return null
  // What it waited for may be gone because a user changed a server or gate, which keeps the fault.
  const hasWaited = found.delivery.waits_until !== null || found.dispatch.error_message !== null
  if (hasWaited) await endWait(context, found)
  return planOf(context, found, linkBase)
}

async function endWait(context: CommandContext, { campaign, dispatch }: UnderWay): Promise<void> {
  await changeDelivery(context, campaign.id, { waits_until: null, waits_for: null })
  if (dispatch.error_message !== null) await changeDispatch(context, campaign, { error_message: null })
}

function hasCome({ clock }: CommandContext, { begins_at, begins_at_once }: DispatchRow): boolean {
  return begins_at !== null && dueTime({ begins_at, begins_at_once }) <= clock
}

async function startSending(context: CommandContext, id: number, dispatch: DispatchRow): Promise<void> {
  const { db, now } = context
  const campaign = await campaignToSend(db, id)
  const isRemote = campaign.is_remote_list === 1
  if (isRemote && !campaign.remote_sql?.trim()) {
    const fault = refusal('remote_sql_missing')
    await appendToLog(context, id, [refusal('log_failed', { fault })])
    const error_message = storeRefusal(fault)
    return changeDispatch(context, campaign, { state: 'failed', finished_at: now, error_message })
  }
  const contents = await contentsOf(db, [id])
  await changeDispatch(context, campaign, { state: 'sending', started_at: now, error_message: null })
  const servers = await serversOfRoute(db, campaign.organization_id, dispatch.virtual_mta_id ?? 0)
  const names = servers.map(({ name }) => name)
  await appendToLog(context, id, [
    names.length > 0 ? refusal('log_began', { servers: names }) : refusal('log_began_in_outbox')
  ])
  const isTest = dispatch.autowinner_enabled === 1 && contents.length > 1
  const { newest } = await db
    .selectFrom('subscribers')
    .select((select) => select.fn.max<number | null>('id').as('newest'))
    .where('mailing_list_id', '=', campaign.mailing_list_id)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('deliveries')
    .values({
      campaign_id: id,
      phase: isTest ? 'split_testing' : 'everybody',
      transport: await transportOf(context, campaign, dispatch),
      last_id: isRemote ? lastRemoteId : (newest ?? 0),
      after_id: 0,
      position: 0
    })
    .execute()
  const { id: statId } = await db
    .insertInto('stats')
    .values({ campaign_id: id, keeps_recipients: 1 })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('stat_slices')
    .values(contents.map((content) => ({ stat_id: statId, content_id: content.id })))
    .execute()
}

/**
 * Stores links of a content.
 * @returns false if the delivery was stopped
 */
export const recordLinks = inBackground<ById & { sliceId: number; urls: string[] }, boolean>(
  async (context, { id, sliceId, urls }) => {
    if (!(await underWay(context, id))) return false
    await context.db
      .insertInto('stat_links')
      .values(urls.map((url) => ({ stat_slice_id: sliceId, url })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return true
  }
)

export const recordAllLinks: Command<ById, void> = async (context, { id }) => {
  await changeDelivery(context, id, { has_links: 1 })
}

/**
 * Stores which recipients get which content.
 * @returns false if the delivery was stopped
 */
export const recordShares: Command<ById & { shares: Shares }, boolean> = async (context, { id, shares }) => {
  if (!(await underWay(context, id))) return false
  await changeDelivery(context, id, { shares: JSON.stringify(shares) })
  return true
}

async function planOf(
  { db, clock, now }: CommandContext,
  { campaign, dispatch, delivery }: UnderWay,
  linkBase: string
): Promise<DeliveryPlan> {
  const leaves = delivery.transport === 'smtp'
  const message = await campaignPlanOf(db, campaign, { linkBase, leaves })
  if (!message) throw validationFailed(refusal('campaign_without_content'))
  const spool = campaign.is_remote_list === 1 ? await findSpool(db, campaign.id) : undefined
  const columns = spool ? (JSON.parse(spool.columns) as string[]) : []
  const previewValues = JSON.parse(campaign.preview_custom_field_data) as StoredValues
  const clause = campaign.clause === null ? [] : clauseOf({ clause: campaign.clause })
  await requireListsOf(db, clause)
  // Conditions on days are evaluated for the day on which sending started, also when it is continued later.
  const moment = { now: dispatch.started_at ?? clock, timeZone: campaign.time_zone_name }
  const seeds = await db
    .selectFrom('seed_lists')
    .select('addresses')
    .where('id', 'in', await seedListIdsOf(db, { campaignId: campaign.id }))
    .orderBy('id')
    .execute()
  const percentage = delivery.phase === 'everybody' ? 100 : testPercentage(dispatch)
  return {
    message: { ...message, fields: [...message.fields, ...columns.map(fieldOfColumn)] },
    remote:
      campaign.is_remote_list === 1
        ? {
            query: campaign.remote_sql ?? '',
            spool: spool ? { fileKey: spool.file_key, readAt: spool.read_at } : null
          }
        : null,
    pass: passOf(delivery),
    percentage,
    route: leaves
      ? await smtpRouteOf(db, {
          organizationId: campaign.organization_id,
          virtualMtaId: dispatch.virtual_mta_id,
          sender: dispatch.from_email ?? '',
          failures: delivery.failures,
          now
        })
      : null,
    shares: sharesOf(delivery, message.contents.length, percentage),
    hasLinks: delivery.has_links === 1,
    recipients: {
      organizationId: campaign.organization_id,
      mailingListId: campaign.mailing_list_id,
      clause: resolveConditions(clause, moment),
      lastId: delivery.last_id,
      chooseFormat: campaign.has_format === 1,
      count: delivery.recipients
    },
    seeds: {
      addresses: [...new Set(seeds.flatMap(({ addresses }) => JSON.parse(addresses) as string[]))],
      values: { ...previewValues, ...previewsOfColumns(columns, message.fields, previewValues) }
    },
    speed: dispatch.speed,
    progress: { afterId: delivery.after_id, position: delivery.position }
  }
}

async function transportOf(
  { db }: CommandContext,
  { organization_id }: CampaignToSend,
  { virtual_mta_id }: DispatchRow
): Promise<'outbox' | 'smtp'> {
  return (await serversOfRoute(db, organization_id, virtual_mta_id ?? 0)).length > 0 ? 'smtp' : 'outbox'
}

/** The values of seeds for the columns of a query: those of the list's fields with the same names. */
function previewsOfColumns(
  columns: readonly string[],
  fields: readonly FieldDefinition[],
  values: StoredValues
): StoredValues {
  return valuesOfColumns(
    columns.map((column) => {
      const field = fields.find(({ name }) => replacementKey(name) === replacementKey(column))
      const value = field && (presentValue(field, values[field.id]) as string | number | boolean | string[])
      return value === undefined || value === null ? null : [value].flat().join(', ')
    })
  )
}

/** The share of recipients in the split test, 0 to 100. */
function testPercentage({ autowinner_percentage: percentage }: DispatchRow): number {
  return Number(percentage ?? 100)
}

function sharesOf(
  { shares, phase, after_id }: UnderWay['delivery'],
  contents: number,
  percentage: number
): Shares | null {
  if (shares !== null) return JSON.parse(shares) as Shares
  // A campaign that an earlier version started keeps its shares, so that no recipient is drawn twice.
  const hasBegun = after_id > 0 || phase === 'winner'
  return contents > 1 && hasBegun ? evenShares(contents, percentage) : null
}

function passOf({ phase, winning_content_id: contentId }: UnderWay['delivery']): DeliveryPlan['pass'] {
  if (phase === 'split_testing') return { kind: phase }
  if (phase === 'winner' && contentId !== null) return { kind: phase, contentId }
  return { kind: 'everybody' }
}

/**
 * Stores the number of recipients.
 * @returns false if the delivery was stopped
 */
export const recordRecipients: Command<ById & { recipients: number }, boolean> = async (
  context,
  { id, recipients }
) => {
  const found = await underWay(context, id)
  if (!found) return false
  await changeDelivery(context, id, { recipients })
  await changeDispatch(context, found.campaign, {})
  return true
}

interface SentInput extends ById {
  progress: DeliveryPlan['progress']
  counted: { sliceId: number; counters: Counters; subscriberIds: number[] }[]
  suppressed: number
  /** Recipients who are no subscribers. */
  recipients: HandedOverRecipient[]
}

/** Counts messages that were handed over, and notes where a delivery goes on. @returns whether to go on */
export const recordSent = inBackground<SentInput, boolean>(
  async (context, { id, progress, counted, suppressed, recipients }) => {
    const found = await underWay(context, id)
    if (!found) return false
    await context.db
      .updateTable('deliveries')
      .set((set) => ({
        after_id: progress.afterId,
        position: progress.position,
        recipients: set('recipients', '-', suppressed)
      }))
      .where('campaign_id', '=', id)
      .execute()
    await storeRemoteRecipients(context, id, recipients)
    for (const { sliceId, counters, subscriberIds } of counted) {
      await incrementCounter(context, sliceId, counters, found.campaign.time_zone_name)
      if (subscriberIds.length === 0) continue
      await context.db
        .insertInto('stat_recipients')
        .values(
          subscriberIds.map((subscriber_id) => ({
            stat_slice_id: sliceId,
            subscriber_id,
            sent_at: context.now
          }))
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }
    await changeDispatch(context, found.campaign, {})
    return true
  }
)

interface Advance extends ById {
  resolved: ResolvedMessage[]
  /** Messages that are to be sent now; null = none. */
  claim: ClaimInput<CampaignStep> | null
  schedule: RetrySchedule
}

/**
 * Stores what became of messages, and which are handed over next. It is durable before the first of them leaves, so that none leaves twice.
 */
const advanceDelivery: Command<Advance, Advanced> = async (context, { id, resolved, claim, schedule }) => {
  const campaign = await campaignToSend(context.db, id)
  const journal = new Journal(context, { keepsRecipients: true })
  journal.resolve(resolved, schedule)
  const found = await underWay(context, id)
  let quota: Quota = { room: Infinity, until: 0 }
  let isClaimed = false
  if (found && claim) {
    const going = claim.messages.filter(({ dueAt }) => dueAt === null).length
    quota = await takeQuota(context, claim.smtpServerId, going)
    isClaimed = going <= quota.room
    if (isClaimed) {
      journal.claim(claim.messages, claim.smtpServerId)
      if (claim.step) await moveCheckpoint(context, id, claim.step)
    }
  }
  await journal.save(campaign.time_zone_name)
  const hasAccepted = resolved.some(({ outcome }) => outcome.is === 'accepted')
  if (found && found.delivery.failures > 0 && hasAccepted) await changeDelivery(context, id, { failures: 0 })
  if (resolved.length > 0 || found) await changeDispatch(context, campaign, {})
  return { goesOn: found !== null, isClaimed, quota }
}

async function moveCheckpoint(
  context: CommandContext,
  id: number,
  { afterId, suppressed, recipients }: CampaignStep
): Promise<void> {
  await storeRemoteRecipients(context, id, recipients)
  await context.db
    .updateTable('deliveries')
    .set((set) => ({ after_id: afterId, recipients: set('recipients', '-', suppressed) }))
    .where('campaign_id', '=', id)
    .execute()
}

/** Records the recipients that were read for a campaign to a Remote List. It does nothing if the campaign was paused or cancelled meanwhile. */
const recordSpool: Command<ById & { spool: FilledSpool }, void> = async (context, { id, spool }) => {
  const found = await underWay(context, id)
  if (!found) return
  const { fileKey, columns, recipients, rows, skipped, faults, milliseconds, readAt } = spool
  const row = {
    ...{ campaign_id: id, file_key: fileKey, columns: JSON.stringify(columns), recipients },
    read_at: readAt
  }
  await context.db.replaceInto('spools').values(row).execute()
  await changeDelivery(context, id, {
    ...{ recipients, reading_failures: 0, waits_until: null, waits_for: null }
  })
  const seconds = (milliseconds / 1000).toFixed(1)
  await appendToLog(context, id, [
    refusal('log_recipients_read', { rows, seconds, recipients, skipped }),
    ...faults.map((fault) => refusal('log_row_skipped', { fault }))
  ])
  await changeDispatch(context, found.campaign, { error_message: null })
}

/** Has the recipients read again: the file that they were read into is gone. */
const forgetSpool: Command<ById, void> = async (context, { id }) => {
  await context.db.deleteFrom('spools').where('campaign_id', '=', id).execute()
  await changeDelivery(context, id, { recipients: null })
  await changeDispatch(context, await campaignToSend(context.db, id), {})
}

interface FailedReading extends ById {
  fault: Refusal
  /** Milliseconds until each further attempt. */
  pauses: readonly number[]
}

/** Stores that a database gave no recipients: it is asked again, or the campaign is paused (docs/api.md, "Remote Lists"). */
const recordReadingFailure: Command<FailedReading, void> = async (context, { id, fault, pauses }) => {
  const found = await underWay(context, id)
  if (!found) return
  // After it was paused, it begins with all its attempts again.
  const failures = Math.max(0, found.delivery.reading_failures) + 1
  const pause = pauses[failures - 1]
  const error_message = storeRefusal(fault)
  if (pause === undefined) {
    await changeDelivery(context, id, { reading_failures: readingGivenUp })
    await changeDispatch(context, found.campaign, { error_message, paused: 1 })
    await appendToLog(context, id, [refusal('log_held', { fault })])
    return
  }
  await changeDelivery(context, id, {
    ...{ reading_failures: failures, waits_until: context.clock + pause, waits_for: 'database' }
  })
  await changeDispatch(context, found.campaign, { error_message })
  await appendToLog(context, id, [
    refusal('log_waits_for_database', { fault, minutes: Math.ceil(pause / 60_000) })
  ])
}

interface Wait extends ById {
  for: DeliveryWait
  /** UNIX milliseconds. */
  until: number
  /** Why, if it is the server. */
  fault: Refusal | null
  failures: number
  /** When its servers were read, in UNIX milliseconds. */
  readAt: number
  /** The speed by which it waits, in messages per hour. */
  speed: number
}

/** Stores that a campaign has to wait; its job goes on then. */
const waitToSend: Command<Wait, void> = async (
  context,
  { id, for: what, until, fault, failures, readAt, speed }
) => {
  const found = await underWay(context, id)
  if (!found) return
  const { campaign, dispatch } = found
  if (what === 'speed' && dispatch.speed !== speed) return
  if (await hasChangedSince(context.db, campaign.organization_id, dispatch.virtual_mta_id, readAt)) return
  await changeDelivery(context, id, { waits_until: until, waits_for: what, failures })
  const error_message = fault && storeRefusal(fault)
  await changeDispatch(context, found.campaign, { error_message })
  // A server that stays away is told once.
  if (what === 'server' && fault && failures === 1)
    await appendToLog(context, id, [refusal('log_waits_for_server', { fault })])
  else if (what === 'gate' && fault) await appendOnce(context, id, refusal('log_waits_for_gate', { fault }))
  else if (what === 'quota') await appendOnce(context, id, refusal('log_waits_for_quota'))
  else if (what === 'retry') await appendOnce(context, id, refusal('log_waits_for_retry'))
}

/**
 * Has the messages of a campaign sent again whose delivery is uncertain. Their recipients may get them twice.
 * @returns how many there are
 * @throws ApiError validation_failed for a campaign that was cancelled, has failed or has not begun
 */
const resendUncertain: Command<ById & { organizationId: number }, number> = async (
  context,
  { id, organizationId }
) => {
  await campaignById(context.db, organizationId, id)
  const campaign = await campaignToSend(context.db, id)
  const dispatch = await dispatchOf(context.db, id)
  if (dispatch?.state !== 'sending' && dispatch?.state !== 'finished') {
    throw validationFailed(refusal('campaign_cannot_resume', { state: dispatch?.state ?? 'idle' }))
  }
  const slices = ((await statisticsOfCampaigns(context.db, [id])).get(id)?.slices ?? []).map(
    ({ sliceId }) => sliceId
  )
  const count = new Journal(context, { keepsRecipients: true }).retryUncertain(slices)
  if (count === 0) return 0
  await changeDelivery(context, id, { waits_until: null, waits_for: null })
  const isOver = dispatch.state === 'finished'
  await changeDispatch(context, campaign, isOver ? { state: 'sending', finished_at: null } : {})
  await appendToLog(context, id, [refusal('log_resent', { count })])
  return count
}

/** Stores how the thread of a campaign left it, unless it was paused or cancelled meanwhile. */
const endDelivery: Command<ById & { end: JobEnd }, void> = async (context, { id, end }) => {
  if (end.is === 'finished') return endPhase(context, id)
  const dispatch = await dispatchOf(context.db, id)
  // A campaign that failed before it started is still scheduled.
  if (!dispatch || dispatch.paused === 1 || !['scheduled', 'sending'].includes(dispatch.state)) return
  await changeDispatch(context, await campaignToSend(context.db, id), {
    error_message: storeRefusal(end.fault),
    ...(end.is === 'held' ? { paused: 1 } : { state: 'failed', finished_at: context.now })
  })
  const { fault } = end
  await appendToLog(context, id, [
    end.is === 'held' ? refusal('log_held', { fault }) : refusal('log_failed', { fault })
  ])
}

async function endPhase(context: CommandContext, id: number): Promise<void> {
  const found = await underWay(context, id)
  if (!found) return
  const { campaign, dispatch, delivery } = found
  if (delivery.phase !== 'split_testing') {
    // A user may have asked for another attempt in the last moment.
    if (await hasUnresolved(context, id)) return
    // Recipients who left during sending are subtracted from the total.
    const done = sumCounters(
      ((await statisticsOfCampaigns(context.db, [id])).get(id)?.slices ?? []).map(({ counters }) => counters)
    )
    await changeDelivery(context, id, {
      recipients: done.messages_sent + done.skips_error + done.skips_request,
      // If uncertain messages are sent again later, no others are.
      after_id: delivery.last_id
    })
    await appendToLog(context, id, [await finishedEntry(context, id, done)])
    return changeDispatch(context, campaign, { state: 'finished', finished_at: context.now })
  }
  // If all recipients are in the test, none are left for the winner.
  const delay = testPercentage(dispatch) === 100 ? 0 : delayMs(dispatch)
  await changeDelivery(context, id, { phase: 'decision_delay', decides_at: context.clock + delay })
  await changeDispatch(context, found.campaign, {})
}

/** Of a Remote List the log tells how many recipients were left out. */
async function finishedEntry({ db }: CommandContext, id: number, done: Counters): Promise<Refusal> {
  const spool = await findSpool(db, id)
  const { messages_sent, skips_error, skips_request } = done
  const leftOut = (spool?.recipients ?? 0) - messages_sent - skips_error - skips_request
  return leftOut > 0 ? refusal('log_finished_without', { count: leftOut }) : refusal('log_finished')
}

async function hasUnresolved({ db }: CommandContext, campaignId: number): Promise<boolean> {
  const { waiting, in_flight, retry } = journalStates
  const found = await db
    .selectFrom('stats')
    .innerJoin('stat_slices', 'stat_slices.stat_id', 'stats.id')
    .innerJoin('journal_counts', 'journal_counts.stat_slice_id', 'stat_slices.id')
    .select('state')
    .where('campaign_id', '=', campaignId)
    .where('state', 'in', [waiting, in_flight, retry])
    .where('messages', '>', 0)
    .executeTakeFirst()
  return found !== undefined
}

/** Chooses the winner of a split test once the delay is over; the others are sent its content. */
async function decideWinner(context: CommandContext, id: number): Promise<void> {
  const found = await underWay(context, id)
  if (found?.delivery.phase !== 'decision_delay') return
  const { dispatch, delivery, campaign } = found
  const decidesAt = delivery.decides_at ?? 0
  if (context.clock < decidesAt - delayMs(dispatch)) {
    // The clock was set back, so the delay starts again.
    await changeDelivery(context, id, { decides_at: context.clock + delayMs(dispatch) })
  } else if (context.clock >= decidesAt) {
    const counts = await takeSnapshots(context, id, campaign.organization_id)
    const metric = (dispatch.autowinner_metric ?? 'opens_unique') as AutowinnerMetric
    await changeDelivery(context, id, {
      phase: 'winner',
      after_id: 0,
      winning_content_id: winnerOf(counts, metric)
    })
  } else return
  await changeDispatch(context, campaign, {})
}

/**
 * Stores the counters of each content at the time of the decision.
 * @returns those to decide by, with content ids: of people, unless the organization counts programs as well
 */
async function takeSnapshots(
  context: CommandContext,
  campaignId: number,
  organizationId: number
): Promise<{ contentId: number; counters: Counters }[]> {
  const statistics = await statisticsOfCampaigns(context.db, [campaignId])
  const slices = statistics.get(campaignId)?.slices ?? []
  const group = randomBytes(16).toString('hex')
  for (const { sliceId, counters, byCode } of slices) {
    await context.db
      .insertInto('stat_snapshots')
      .values({
        stat_slice_id: sliceId,
        snapshot_group: group,
        counts: JSON.stringify(countsOf(counters, byCode)),
        taken_at: context.now
      })
      .execute()
  }
  const options = await deliveryOptionsOf(context.db, organizationId)
  return Promise.all(
    slices.map(async (slice) => ({
      contentId: slice.contentId,
      counters: options.winner_counts_machines ? slice.counters : await peopleOfSlice(context.db, slice)
    }))
  )
}

async function underWay({ db }: CommandContext, id: number): Promise<UnderWay | null> {
  const dispatch = await dispatchOf(db, id)
  const delivery = await deliveryOf(db, id)
  if (dispatch?.state !== 'sending' || dispatch.paused === 1 || !delivery) return null
  return { campaign: await campaignToSend(db, id), dispatch, delivery }
}

async function changeDelivery(
  { db }: CommandContext,
  campaignId: number,
  columns: Updateable<DeliveriesTable>
): Promise<void> {
  await db.updateTable('deliveries').set(columns).where('campaign_id', '=', campaignId).execute()
}

async function changeDispatch(
  context: CommandContext,
  campaign: UnderWay['campaign'],
  columns: Partial<Omit<DispatchRow, 'updated_at'>>
): Promise<void> {
  await context.db
    .updateTable('dispatches')
    .set({ ...columns, updated_at: context.now })
    .where('campaign_id', '=', campaign.id)
    .execute()
  recordRow(context, 'campaign', 'update', campaign)
}

interface SentPreviews {
  of: PreviewSubject
  /** The name of the server. */
  server: string
  outcomes: readonly PreviewOutcome[]
}

const recordPreviews: Command<SentPreviews, void> = async ({ db, now }, { of, server, outcomes }) => {
  const isOfCampaign = 'campaign_id' in of
  await db
    .insertInto('preview_journal')
    .values(
      outcomes.map(({ contentId, recipient, state, code, reply }) => ({
        campaign_id: isOfCampaign ? of.campaign_id : null,
        autoresponder_id: isOfCampaign ? null : of.autoresponder_id,
        content_id: isOfCampaign ? contentId : null,
        email: recipient,
        state: journalStates[state],
        sent_at: now,
        smtp_server: server,
        code,
        reply
      }))
    )
    .execute()
}

const deleteOldPreviews = inBackground<{ before: number }, void>(async ({ db }, { before }) => {
  await db.deleteFrom('preview_journal').where('sent_at', '<', before).execute()
})

export const deliveryCommands = {
  begin: handOutDelivery,
  recordLinks,
  recordAllLinks,
  recordShares,
  recordRecipients,
  recordSent,
  recordSpool,
  forgetSpool,
  recordReadingFailure,
  advance: advanceDelivery,
  wait: waitToSend,
  recordNews,
  recordPreviews,
  deleteOldPreviews,
  resendUncertain,
  end: endDelivery
}

declare module '../database/command.ts' {
  interface CommandRegistry {
    deliveries: typeof deliveryCommands
  }
}
