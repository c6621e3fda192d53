import { type Command, recordOne } from '../../database/command.ts'
import { recordDeletion, recordEdit, type RecordTables } from '../../database/record-rows.ts'
import { queueReactions, subscriptionAutoresponders } from '../autoresponders/reactions.ts'
import { localListById } from '../mailing-lists/queries.ts'
import { addSubscriber, type SubscriberScope } from '../subscribers/commands.ts'
import type { SubscriberInput } from '../subscribers/schema.ts'
import { pendingSubscriptionById, webFormById, type WebFormRow } from './queries.ts'
import type { WebFormChanges, WebFormInput } from './schema.ts'

type Scope = Omit<SubscriberScope, 'timeZone'>

/** Includes the subscribers who have not confirmed yet. */
export const webFormTables: RecordTables = {
  entity: 'web_form',
  table: 'web_forms',
  parts: [{ table: 'pending_subscriptions', where: 'web_form_id = :id' }]
}

const createWebForm: Command<Scope & { form: WebFormInput }, WebFormRow> = async (
  context,
  { form, ...scope }
) => {
  await localListById(context.db, scope.organizationId, scope.mailingListId, 'web forms')
  const row = await context.db
    .insertInto('web_forms')
    .values({
      mailing_list_id: scope.mailingListId,
      name: form.name.trim(),
      requires_confirmation: Number(form.requires_confirmation),
      created_at: context.now,
      updated_at: context.now
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordOne(context, 'web_form', 'create', scope, row.id)
  return row
}

const updateWebForm: Command<Scope & { id: number; changes: WebFormChanges }, WebFormRow> = async (
  context,
  { id, changes, ...scope }
) => {
  await localListById(context.db, scope.organizationId, scope.mailingListId, 'web forms')
  const before = await webFormById(context.db, scope.mailingListId, id)
  return recordEdit(context, webFormTables, scope, id, () =>
    context.db
      .updateTable('web_forms')
      .set({
        name: changes.name?.trim() ?? before.name,
        requires_confirmation: Number(changes.requires_confirmation ?? before.requires_confirmation),
        updated_at: context.now
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
  )
}

const deleteWebForm: Command<Scope & { id: number }, void> = async (context, { id, ...scope }) => {
  await localListById(context.db, scope.organizationId, scope.mailingListId, 'web forms')
  const row = await webFormById(context.db, scope.mailingListId, id)
  await recordDeletion(context, webFormTables, scope, row, () =>
    context.db.deleteFrom('web_forms').where('id', '=', id).execute()
  )
}

/**
 * Adds a subscriber who confirmed.
 * @returns the subscriber's id
 * @throws ApiError as for a new subscriber, such as validation_failed if the email was taken meanwhile
 */
export const confirmSubscription: Command<SubscriberScope & { id: number }, number> = async (
  context,
  { id: pendingId, ...scope }
) => {
  const list = await localListById(context.db, scope.organizationId, scope.mailingListId, 'subscribers')
  const pending = await pendingSubscriptionById(context.db, list.id, pendingId)
  const asked = JSON.parse(pending.subscriber) as SubscriberInput
  const { id, emailKey } = await addSubscriber(context, {
    ...scope,
    subscriber: list.has_confirmed === 1 ? { ...asked, confirmed: true } : asked
  })
  await context.db.deleteFrom('pending_subscriptions').where('id', '=', pendingId).execute()
  const reacting = await subscriptionAutoresponders(context, list.id, { emailKey })
  await queueReactions(context, reacting, { subscriberId: id, timeZone: scope.timeZone })
  recordOne(context, 'pending_subscription', 'delete', scope, pendingId)
  return id
}

/** Deletes a subscription that was not confirmed. */
export const discardSubscription: Command<Scope & { id: number }, void> = async (
  context,
  { id, ...scope }
) => {
  await localListById(context.db, scope.organizationId, scope.mailingListId, 'subscribers')
  await pendingSubscriptionById(context.db, scope.mailingListId, id)
  await context.db.deleteFrom('pending_subscriptions').where('id', '=', id).execute()
  recordOne(context, 'pending_subscription', 'delete', scope, id)
}

export const webFormCommands = {
  create: createWebForm,
  update: updateWebForm,
  delete: deleteWebForm,
  confirmSubscription,
  discardSubscription
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    webForms: typeof webFormCommands
  }
}
