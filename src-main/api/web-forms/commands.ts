import { Faults, validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { type Command, type CommandContext, inBackground, recordOne } from '../../database/command.ts'
import { recordDeletion, recordEdit, type RecordTables } from '../../database/record-rows.ts'
import { fieldsOfList } from '../custom-fields/queries.ts'
import { purgeJournal } from '../journal/purge.ts'
import { localListById, type MailingListRow } from '../mailing-lists/queries.ts'
import type { SubscriberScope } from '../subscribers/commands.ts'
import type { SubscriberInput } from '../subscribers/schema.ts'
import { day } from './confirmation.ts'
import { confirmationCode } from './confirmation-texts.ts'
import {
  hasActive,
  type LinkedSubscription,
  pageSettings,
  pendingByToken,
  pendingSubscriptionById,
  type PendingSubscriptionRow,
  webFormById,
  type WebFormRow
} from './queries.ts'
import type { WebFormChanges, WebFormInput } from './schema.ts'
import { signUp, subscribe } from './sign-up.ts'

type Scope = Omit<SubscriberScope, 'timeZone'>

/** Includes the subscribers who have not confirmed yet. */
export const webFormTables: RecordTables = {
  entity: 'web_form',
  table: 'web_forms',
  parts: [
    { table: 'pending_subscriptions', where: 'web_form_id = :id' },
    { table: 'confirmation_deliveries', where: 'web_form_id = :id' }
  ]
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
      ...confirmationColumns(form),
      ...(await pageColumns(context, scope, form)),
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
  const { name, requires_confirmation, ...others } = changes
  const before = await webFormById(context.db, scope.mailingListId, id)
  const known = await fieldsOfList(context.db, scope.organizationId, scope.mailingListId)
  const page = pageSettings(before)
  // A field may have been deleted since.
  const custom_field_ids = page.custom_field_ids.filter((each) => known.some((field) => field.id === each))
  const settings = { ...before, ...page, custom_field_ids, ...others }
  const columns = await pageColumns(context, scope, settings)
  return recordEdit(context, webFormTables, scope, id, () =>
    context.db
      .updateTable('web_forms')
      .set({
        name: name?.trim() ?? before.name,
        requires_confirmation: Number(requires_confirmation ?? before.requires_confirmation),
        ...confirmationColumns(settings),
        ...columns,
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

type PageInput = Pick<
  WebFormInput,
  'has_page' | 'page_title' | 'page_intro' | 'custom_field_ids' | 'consent_text' | 'success_text'
>

/** @throws ApiError validation_failed for a field that the list does not have */
async function pageColumns(
  { db }: CommandContext,
  { organizationId, mailingListId }: Scope,
  form: PageInput
) {
  const { has_page, page_title, page_intro, custom_field_ids, consent_text, success_text } = form
  const known = new Set((await fieldsOfList(db, organizationId, mailingListId)).map(({ id }) => id))
  const unknown = custom_field_ids.find((id) => !known.has(id))
  if (unknown !== undefined) {
    throw validationFailed(refusal('no_field_of_list', { field: 'custom_field_ids', id: unknown }))
  }
  return {
    has_page: Number(has_page),
    ...{ page_title: page_title.trim(), page_intro: page_intro.trim() },
    ...{ consent_text: consent_text.trim(), success_text: success_text.trim() },
    custom_field_ids: JSON.stringify([...new Set(custom_field_ids)])
  }
}

type ConfirmationInput = Pick<
  WebFormInput,
  'language' | 'confirmation_subject' | 'confirmation_html' | 'confirmation_text' | 'confirmation_days'
>

/** @throws ApiError validation_failed for a text of its own without the link that confirms */
function confirmationColumns({ confirmation_html, confirmation_text, ...others }: ConfirmationInput) {
  const faults = new Faults()
  for (const [field, text] of Object.entries({ confirmation_html, confirmation_text })) {
    const isOwn = text.trim() !== ''
    if (isOwn && !text.includes(confirmationCode)) {
      faults.add(refusal('confirmation_code_missing', { field, code: confirmationCode }))
    }
  }
  faults.throwIfAny()
  const { language, confirmation_subject, confirmation_days } = others
  return { language, confirmation_subject, confirmation_html, confirmation_text, confirmation_days }
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
  return addConfirmed(context, list, pending, scope, null)
}

/** What became of the link in a confirmation message. */
export type ConfirmationByLink = 'confirmed' | 'there_already' | 'gone'

/**
 * Adds a subscriber who pressed the button on the page of a confirmation message.
 * @returns `gone` for a link that was used, has expired, or was never made
 * @throws ApiError if the subscriber cannot be added, such as over the limit of the organization
 */
export const confirmByLink: Command<{ token: string; ip: string }, ConfirmationByLink> = async (
  context,
  { token, ip }
) => confirmLinked(context, await pendingByToken(context.db, token, context.clock), ip)

/** Adds the subscriber that a link named. @returns and @throws as {@link confirmByLink} */
export async function confirmLinked(
  context: CommandContext,
  found: LinkedSubscription | null,
  ip: string | null
): Promise<ConfirmationByLink> {
  if (!found) return 'gone'
  const { pending, organizationId, timeZone } = found
  const { id: mailingListId } = found.list
  const scope = { organizationId, mailingListId, timeZone }
  if (await hasActive(context.db, mailingListId, pending.email_key)) {
    await deletePending(context, scope, pending.id)
    return 'there_already'
  }
  await addConfirmed(context, found.list, pending, scope, ip)
  return 'confirmed'
}

async function addConfirmed(
  context: CommandContext,
  list: MailingListRow,
  pending: PendingSubscriptionRow,
  scope: SubscriberScope,
  ip: string | null
): Promise<number> {
  const asked = JSON.parse(pending.subscriber) as SubscriberInput
  const id = await subscribe(context, scope, list, {
    ...asked,
    ...(list.has_confirmed === 1 && { confirmed: true }),
    // The address from which it was confirmed proves the consent, unless the form's own address was given.
    ...(ip !== null && asked.subscribe_ip === undefined && { subscribe_ip: ip })
  })
  await deletePending(context, scope, pending.id)
  return id
}

async function deletePending(context: CommandContext, scope: Scope, id: number): Promise<void> {
  await context.db.deleteFrom('pending_subscriptions').where('id', '=', id).execute()
  recordOne(context, 'pending_subscription', 'delete', scope, id)
}

/** Queues the confirmation message once more, with a link that works anew. @throws ApiError validation_failed the second time */
const resendConfirmation: Command<Scope & { id: number }, PendingSubscriptionRow> = async (
  context,
  { id, ...scope }
) => {
  const { db, now, clock } = context
  const list = await localListById(db, scope.organizationId, scope.mailingListId, 'subscribers')
  const pending = await pendingSubscriptionById(db, list.id, id)
  if (pending.is_repeated === 1)
    throw validationFailed(refusal('confirmation_repeated', { email: pending.email }))
  const form = await webFormById(db, list.id, pending.web_form_id)
  const expires_at = clock + form.confirmation_days * day
  // One that has not left yet is only given more time.
  const is_repeated = pending.sent_at !== null || pending.queued_at === null ? 1 : 0
  const row = await db
    .updateTable('pending_subscriptions')
    .set({ queued_at: now, is_repeated, expires_at })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  recordOne(context, 'pending_subscription', 'update', scope, id)
  return row
}

/** Deletes a subscription that was not confirmed. */
export const discardSubscription: Command<Scope & { id: number }, void> = async (
  context,
  { id, ...scope }
) => {
  await localListById(context.db, scope.organizationId, scope.mailingListId, 'subscribers')
  await pendingSubscriptionById(context.db, scope.mailingListId, id)
  await deletePending(context, scope, id)
}

/** Messages whose journal is deleted per step: few enough that other writes do not wait noticeably. */
const purgedAtOnce = 2000

/**
 * Deletes some of the journal of forms that are gone, alone or with their list.
 * @returns true if there may be more
 */
const purgeJournals = inBackground<object, boolean>(async ({ db }) => {
  const kept = db
    .selectFrom('web_forms')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_id')
    .select('web_forms.id')
    .where('purged_at', 'is', null)
  const gone = db
    .selectFrom('stats')
    .select('id')
    // Without forms, none would be in the list of those that are kept.
    .where('web_form_id', 'is not', null)
    .where('web_form_id', 'not in', kept)
  const slices = await db.selectFrom('stat_slices').select('id').where('stat_id', 'in', gone).execute()
  const sliceIds = slices.map(({ id }) => id)
  if (sliceIds.length === 0) return false
  if (await purgeJournal(db, sliceIds, purgedAtOnce)) return true
  await db.deleteFrom('stats').where('id', 'in', gone).execute()
  return false
})

export const webFormCommands = {
  create: createWebForm,
  update: updateWebForm,
  delete: deleteWebForm,
  signUp,
  confirmSubscription,
  confirmByLink,
  resendConfirmation,
  discardSubscription,
  purgeJournals
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    webForms: typeof webFormCommands
  }
}
