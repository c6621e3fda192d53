import { queueReactionsOfMany } from '../../api/autoresponders/reactions.ts'
import type { AutoresponderRow } from '../../api/autoresponders/queries.ts'
import type { ContentFormat } from '../../api/autoresponders/schema.ts'
import type { MailingListRow } from '../../api/mailing-lists/queries.ts'
import { clauseOf } from '../../api/segments/queries.ts'
import { resolveConditions } from '../../api/segments/settled.ts'
import { serversOfRoute } from '../../api/smtp-servers/queries.ts'
import { incrementCounter } from '../../api/statistics/counting.ts'
import { countInjected } from '../../api/statistics/rules.ts'
import type { Counters } from '../../api/statistics/schema.ts'
import { validationFailed } from '../../base/errors.ts'
import { type Refusal, refusal } from '../../base/refusal.ts'
import { storeRefusal } from '../../base/stored-refusal.ts'
import type { Command, CommandContext } from '../../database/command.ts'
import type { JobEnd } from '../../jobs/outcome.ts'
import { autoresponderPlanOf } from '../autoresponder-plan.ts'
import {
  type AdvanceInput,
  advanceQueue,
  listInUse,
  type QueueProgress,
  queueSliceOf
} from '../queue-commands.ts'
import { hasChangedSince, smtpRouteOf } from '../route-plan.ts'
import type { Advanced } from '../smtp/smtp-work.ts'
import type { AutoresponderPlan } from './plan.ts'
import type { AutoresponderStep } from './work.ts'

interface ById {
  id: number
}

/** After a fault that a user has to remove, an autoresponder is tried again so often, in milliseconds. */
const triedAgainAfter = 15 * 60_000

/**
 * Hands an autoresponder to its thread.
 * @returns null if it is paused, or was deleted
 * @throws ApiError validation_failed if it cannot be sent
 */
const beginDelivery: Command<ById & { linkBase: string }, AutoresponderPlan | null> = async (
  context,
  { id, linkBase }
) => {
  const found = await underWay(context, id)
  if (!found) return null
  const { db, clock } = context
  const { row, list, timeZone } = found
  const sliceId = await sliceOf(context, id)
  const ofList = row.use_external_delivery_setting === 1
  const sender = (ofList ? list.d_from_email : row.from_email) ?? ''
  const delivery = await deliveryOf(context, id)
  const { organization_id: organizationId } = list
  const virtualMtaId = ofList ? list.d_virtual_mta_id : row.virtual_mta_id
  const isOutbox = (await serversOfRoute(db, organizationId, virtualMtaId ?? 0)).length === 0
  const route = isOutbox
    ? null
    : await smtpRouteOf(db, {
        organizationId,
        virtualMtaId,
        sender,
        failures: delivery.failures,
        now: context.now
      })
  const links = { linkBase, leaves: route !== null }
  const message = await autoresponderPlanOf(db, list, row, { ...links, timeZone, sliceId })
  if (!message) throw validationFailed(refusal('no_content_to_send'))
  if (sender === '') throw validationFailed(refusal('blank', { field: 'from_email' }))
  const segment = await db
    .selectFrom('segments')
    .select('clause')
    .where('id', '=', row.segmentation_criteria_id)
    .executeTakeFirst()
  await changeDelivery(context, id, { waits_until: null, error_message: null })
  return {
    message,
    organizationId,
    mailingListId: list.id,
    sliceId,
    route,
    position: delivery.position,
    chooseFormat: list.has_format === 1,
    clause: segment ? resolveConditions(clauseOf(segment), { now: clock, timeZone }) : [],
    unlessOpened:
      row.trigger === 'autoresponder_nonopen' && row.trigger_autoresponder_to_open_id !== null
        ? await sliceOf(context, row.trigger_autoresponder_to_open_id)
        : null
  }
}

/** Stores links of a content. */
const recordLinks: Command<{ sliceId: number; urls: string[] }, void> = async ({ db }, { sliceId, urls }) => {
  await db
    .insertInto('stat_links')
    .values(urls.map((url) => ({ stat_slice_id: sliceId, url })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

interface Written extends ById {
  /** What leaves the queue. */
  reactionIds: number[]
  written: { subscriberId: number; format: ContentFormat }[]
  /** The length of the outbox file after them, in bytes. */
  position: number
}

/** Counts messages that are in the outbox. @returns whether to go on */
const recordWritten: Command<Written, boolean> = async (context, { id, reactionIds, written, position }) => {
  const found = await underWay(context, id)
  if (!found) return false
  await deleteReactions(context, reactionIds)
  await changeDelivery(context, id, { position })
  const counters: Partial<Counters> = { total_success: written.length, delivered: written.length }
  for (const { format } of written) countInjected(counters, format, false, 1)
  await incrementCounter(context, await sliceOf(context, id), counters, found.timeZone)
  await queueFollowers(
    context,
    id,
    written.map(({ subscriberId }) => subscriberId),
    found.timeZone
  )
  return true
}

/** Stores what became of messages, and which are handed over next. */
const advanceDelivery: Command<ById & AdvanceInput<AutoresponderStep>, Advanced> = async (
  context,
  { id, ...input }
) => {
  const timeZone = (await underWay(context, id))?.timeZone ?? null
  const { advanced, accepted } = await advanceQueue(context, input, timeZone, ({ reactionIds }) =>
    deleteReactions(context, reactionIds)
  )
  await queueFollowers(context, id, accepted, timeZone ?? 'UTC')
  if (accepted.length > 0) await changeDelivery(context, id, { failures: 0 })
  return advanced
}

/** Stores that nothing can be sent before a time in UNIX milliseconds. */
const waitToSend: Command<
  ById & { until: number; fault: Refusal | null; failures: number; readAt: number },
  void
> = async (context, { id, until, fault, failures, readAt }) => {
  const found = await underWay(context, id)
  if (!found) return
  const { row, list } = found
  const virtualMtaId = row.use_external_delivery_setting === 1 ? list.d_virtual_mta_id : row.virtual_mta_id
  if (await hasChangedSince(context.db, list.organization_id, virtualMtaId, readAt)) return
  const error_message = fault && storeRefusal(fault)
  await changeDelivery(context, id, { waits_until: until, failures, error_message })
}

/** Stores why the thread of an autoresponder could not go on; it is tried again later. */
const endDelivery: Command<ById & { end: JobEnd }, void> = async (context, { id, end }) => {
  if (end.is === 'finished' || !(await underWay(context, id))) return
  await changeDelivery(context, id, {
    waits_until: context.clock + triedAgainAfter,
    error_message: storeRefusal(end.fault)
  })
}

interface UnderWay {
  row: AutoresponderRow
  list: MailingListRow
  timeZone: string
}

async function underWay(context: CommandContext, id: number): Promise<UnderWay | null> {
  const row = await context.db
    .selectFrom('autoresponders')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row || row.paused_at !== null) return null
  const found = await listInUse(context, row.mailing_list_id)
  return found && { row, ...found }
}

/** Returns the statistics id of an autoresponder's content. */
function sliceOf(context: CommandContext, autoresponderId: number): Promise<number> {
  return queueSliceOf(context, 'autoresponder_id', autoresponderId)
}

async function deliveryOf(
  { db }: CommandContext,
  id: number
): Promise<{ position: number; failures: number }> {
  await db
    .insertInto('autoresponder_deliveries')
    .values({ autoresponder_id: id })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return db
    .selectFrom('autoresponder_deliveries')
    .select(['position', 'failures'])
    .where('autoresponder_id', '=', id)
    .executeTakeFirstOrThrow()
}

async function changeDelivery({ db }: CommandContext, id: number, columns: QueueProgress): Promise<void> {
  await db
    .insertInto('autoresponder_deliveries')
    .values({ autoresponder_id: id, ...columns })
    .onConflict((conflict) => conflict.column('autoresponder_id').doUpdateSet(columns))
    .execute()
}

async function deleteReactions({ db }: CommandContext, ids: number[]): Promise<void> {
  await db.deleteFrom('autoresponder_reactions').where('id', 'in', ids).execute()
}

/** Queues the messages of the autoresponders that follow one, for those who got its message. */
async function queueFollowers(
  context: CommandContext,
  id: number,
  subscriberIds: number[],
  timeZone: string
): Promise<void> {
  if (subscriberIds.length === 0) return
  const followers = await context.db
    .selectFrom('autoresponders')
    .selectAll()
    .where('trigger_autoresponder_to_open_id', '=', id)
    .where('trigger', 'in', ['autoresponder_send', 'autoresponder_nonopen'])
    .execute()
  // A subscriber who was triggered twice got two messages: each has its followers, however they were batched.
  for (let rest = subscriberIds; rest.length > 0;) {
    const once = new Set(rest)
    await queueReactionsOfMany(context, followers, [...once], timeZone)
    rest = rest.filter((id) => !once.delete(id))
  }
}

export const autoresponderDeliveryCommands = {
  begin: beginDelivery,
  recordLinks,
  recordWritten,
  advance: advanceDelivery,
  wait: waitToSend,
  end: endDelivery
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    autoresponderDeliveries: typeof autoresponderDeliveryCommands
  }
}
