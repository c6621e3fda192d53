import type { MailingListRow } from '../../api/mailing-lists/queries.ts'
import { serversOfRoute } from '../../api/smtp-servers/queries.ts'
import { day } from '../../api/web-forms/confirmation.ts'
import type { WebFormRow } from '../../api/web-forms/queries.ts'
import { validationFailed } from '../../base/errors.ts'
import { type Refusal, refusal } from '../../base/refusal.ts'
import { storeRefusal } from '../../base/stored-refusal.ts'
import { type Command, type CommandContext, recordOne } from '../../database/command.ts'
import type { JobEnd } from '../../jobs/outcome.ts'
import {
  type AdvanceInput,
  advanceQueue,
  listInUse,
  type QueueProgress,
  queueSliceOf
} from '../queue-commands.ts'
import { hasChangedSince, smtpRouteOf } from '../route-plan.ts'
import type { Advanced } from '../smtp/smtp-work.ts'
import { confirmationMessageOf, type ConfirmationPlan } from './plan.ts'
import type { ConfirmationStep } from './work.ts'

interface ById {
  id: number
}

/** After a fault that a user has to remove, a form is tried again so often, in milliseconds. */
const triedAgainAfter = 60_000

/**
 * Hands a form to its thread.
 * @returns null if it was deleted
 * @throws ApiError validation_failed if its messages cannot be sent
 */
const beginDelivery: Command<ById & { linkBase: string }, ConfirmationPlan | null> = async (
  context,
  { id, linkBase }
) => {
  const found = await formOf(context, id)
  if (!found) return null
  const { db, now } = context
  const { form, list } = found
  const { organization_id: organizationId, d_virtual_mta_id: virtualMtaId } = list
  const delivery = await deliveryOf(context, id)
  const sender = list.d_from_email ?? ''
  if (sender === '') throw validationFailed(refusal('confirmation_without_sender'))
  const isOutbox = (await serversOfRoute(db, organizationId, virtualMtaId ?? 0)).length === 0
  const { failures, position } = delivery
  const route = isOutbox
    ? null
    : await smtpRouteOf(db, { organizationId, virtualMtaId, sender, failures, now })
  const sliceId = await queueSliceOf(context, 'web_form_id', id)
  const message = await confirmationMessageOf(db, list, form, { linkBase, leaves: route !== null, sliceId })
  if (message.linkBase === null) throw validationFailed(refusal('confirmation_without_link'))
  await changeDelivery(context, id, { waits_until: null, error_message: null })
  return { message, webFormId: id, sliceId, route, position }
}

interface Written extends ById {
  /** Those whose message is in the outbox. */
  subscriptionIds: number[]
  /** The length of the outbox file after them, in bytes. */
  position: number
}

/** Stores which messages are in the outbox. @returns whether to go on */
const recordWritten: Command<Written, boolean> = async (context, { id, subscriptionIds, position }) => {
  const found = await formOf(context, id)
  if (!found) return false
  await leaveQueue(context, found, subscriptionIds)
  await changeDelivery(context, id, { position })
  return true
}

/** Stores what became of messages, and which are handed over next. */
const advanceDelivery: Command<ById & AdvanceInput<ConfirmationStep>, Advanced> = async (
  context,
  { id, ...input }
) => {
  const found = await formOf(context, id)
  const { advanced, accepted } = await advanceQueue(
    context,
    input,
    found?.timeZone ?? null,
    async ({ subscriptionIds }) => {
      if (found) await leaveQueue(context, found, subscriptionIds)
    }
  )
  if (accepted.length > 0) await changeDelivery(context, id, { failures: 0 })
  return advanced
}

/** Stores that nothing can be sent before a time in UNIX milliseconds. */
const waitToSend: Command<
  ById & { until: number; fault: Refusal | null; failures: number; readAt: number },
  void
> = async (context, { id, until, fault, failures, readAt }) => {
  const found = await formOf(context, id)
  if (!found) return
  const { organization_id: organizationId, d_virtual_mta_id: virtualMtaId } = found.list
  if (await hasChangedSince(context.db, organizationId, virtualMtaId, readAt)) return
  const error_message = fault && storeRefusal(fault)
  await changeDelivery(context, id, { waits_until: until, failures, error_message })
}

/** Stores why the thread of a form could not go on; it is tried again later. */
const endDelivery: Command<ById & { end: JobEnd }, void> = async (context, { id, end }) => {
  if (end.is === 'finished' || !(await formOf(context, id))) return
  await changeDelivery(context, id, {
    waits_until: context.clock + triedAgainAfter,
    error_message: storeRefusal(end.fault)
  })
}

interface FoundForm {
  form: WebFormRow
  list: MailingListRow
  timeZone: string
}

async function formOf(context: CommandContext, id: number): Promise<FoundForm | null> {
  const form = await context.db.selectFrom('web_forms').selectAll().where('id', '=', id).executeTakeFirst()
  const found = form && (await listInUse(context, form.mailing_list_id))
  return found ? { form, ...found } : null
}

/** The messages of some subscriptions were handed over. */
async function leaveQueue(context: CommandContext, { list, form }: FoundForm, ids: number[]): Promise<void> {
  const { organization_id: organizationId, id: mailingListId } = list
  const { confirmation_days: days } = form
  await context.db
    .updateTable('pending_subscriptions')
    .set((set) => ({
      queued_at: null,
      sent_at: context.now,
      // The link works for its time from now on: the message may have waited for long.
      expires_at: set.val(context.clock + days * day)
    }))
    .where('id', 'in', ids)
    .execute()
  for (const id of ids)
    recordOne(context, 'pending_subscription', 'update', { organizationId, mailingListId }, id)
}

async function deliveryOf(
  { db }: CommandContext,
  id: number
): Promise<{ position: number; failures: number }> {
  const found = await db
    .selectFrom('confirmation_deliveries')
    .select(['position', 'failures'])
    .where('web_form_id', '=', id)
    .executeTakeFirst()
  return found ?? { position: 0, failures: 0 }
}

async function changeDelivery({ db }: CommandContext, id: number, columns: QueueProgress): Promise<void> {
  await db
    .insertInto('confirmation_deliveries')
    .values({ web_form_id: id, ...columns })
    .onConflict((conflict) => conflict.column('web_form_id').doUpdateSet(columns))
    .execute()
}

export const confirmationDeliveryCommands = {
  begin: beginDelivery,
  recordWritten,
  advance: advanceDelivery,
  wait: waitToSend,
  end: endDelivery
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    confirmationDeliveries: typeof confirmationDeliveryCommands
  }
}
