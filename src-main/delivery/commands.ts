import { storeRefusal } from '../base/stored-refusal.ts'
import type { Selectable, Updateable } from 'kysely'
import { randomBytes } from 'node:crypto'
import { type Command, type CommandContext, inBackground, recordRow } from '../database/command.ts'
import type { DeliveriesTable } from '../api/campaigns/tables.ts'
import type { DeliveryPlan } from './plan.ts'
import { evenShares, type Shares } from './split-test.ts'
import { validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { dueTime } from '../jobs/due.ts'
import type { JobEnd } from '../jobs/outcome.ts'
import type { StoredValues } from '../api/custom-fields/rules.ts'
import type { AutowinnerMetric } from '../api/mailing-lists/schema.ts'
import { resolveConditions } from '../api/segments/settled.ts'
import { clauseOf, requireListsOf } from '../api/segments/queries.ts'
import { incrementCounter } from '../api/statistics/counting.ts'
import { statisticsOfCampaigns } from '../api/statistics/queries.ts'
import { countsOf, sumCounters } from '../api/statistics/rules.ts'
import type { Counters } from '../api/statistics/schema.ts'
import { type CampaignToSend, campaignToSend, campaignPlanOf } from './campaign-plan.ts'
import {
  contentsOf,
  deliveryOf,
  type DispatchRow,
  dispatchOf,
  seedListIdsOf
} from '../api/campaigns/queries.ts'
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
  return found && found.delivery.phase !== 'decision_delay' ? planOf(context, found, linkBase) : null
}

function hasCome({ clock }: CommandContext, { begins_at, begins_at_once }: DispatchRow): boolean {
  return begins_at !== null && dueTime({ begins_at, begins_at_once }) <= clock
}

async function startSending(context: CommandContext, id: number, dispatch: DispatchRow): Promise<void> {
  const { db, now } = context
  const campaign = await campaignToSend(db, id)
  if (campaign.is_remote_list === 1) {
    const error_message = storeRefusal(refusal('remote_list_unreachable'))
    return changeDispatch(context, campaign, { state: 'failed', finished_at: now, error_message })
  }
  const contents = await contentsOf(db, [id])
  await changeDispatch(context, campaign, { state: 'sending', started_at: now, error_message: null })
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
      last_id: newest ?? 0,
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
  { db, clock }: CommandContext,
  { campaign, dispatch, delivery }: UnderWay,
  linkBase: string
): Promise<DeliveryPlan> {
  const message = await campaignPlanOf(db, campaign, linkBase)
  if (!message) throw validationFailed(refusal('campaign_without_content'))
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
    message,
    pass: passOf(delivery),
    percentage,
    shares: sharesOf(delivery, message.contents.length, percentage),
    hasLinks: delivery.has_links === 1,
    recipients: {
      organizationId: campaign.organization_id,
      mailingListId: campaign.mailing_list_id,
      clause: resolveConditions(clause, moment),
      lastId: delivery.last_id,
      chooseFormat: campaign.has_format === 1,
      isCounted: delivery.recipients !== null
    },
    seeds: {
      addresses: [...new Set(seeds.flatMap(({ addresses }) => JSON.parse(addresses) as string[]))],
      values: JSON.parse(campaign.preview_custom_field_data) as StoredValues
    },
    speed: dispatch.speed,
    progress: { afterId: delivery.after_id, position: delivery.position }
  }
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
}

/** Counts messages that were handed over, and notes where a delivery goes on. @returns whether to go on */
export const recordSent = inBackground<SentInput, boolean>(
  async (context, { id, progress, counted, suppressed }) => {
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
}

async function endPhase(context: CommandContext, id: number): Promise<void> {
  const found = await underWay(context, id)
  if (!found) return
  const { campaign, dispatch, delivery } = found
  if (delivery.phase !== 'split_testing') {
    // Recipients who left during sending are subtracted from the total.
    const done = sumCounters(
      ((await statisticsOfCampaigns(context.db, [id])).get(id)?.slices ?? []).map(({ counters }) => counters)
    )
    await changeDelivery(context, id, {
      recipients: done.messages_sent + done.skips_error + done.skips_request
    })
    return changeDispatch(context, campaign, { state: 'finished', finished_at: context.now })
  }
  // If all recipients are in the test, none are left for the winner.
  const delay = testPercentage(dispatch) === 100 ? 0 : delayMs(dispatch)
  await changeDelivery(context, id, { phase: 'decision_delay', decides_at: context.clock + delay })
  await changeDispatch(context, found.campaign, {})
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
    const counts = await takeSnapshots(context, id)
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
 * @returns them by content id
 */
async function takeSnapshots(
  context: CommandContext,
  campaignId: number
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
  return slices.map(({ contentId, counters }) => ({ contentId, counters }))
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

export const deliveryCommands = {
  begin: handOutDelivery,
  recordLinks,
  recordAllLinks,
  recordShares,
  recordRecipients,
  recordSent,
  end: endDelivery
}

declare module '../database/command.ts' {
  interface CommandRegistry {
    deliveries: typeof deliveryCommands
  }
}
