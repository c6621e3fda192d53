import { ApiError, Faults, validationFailed } from '../../base/errors.ts'
import { refusalAt } from '../../base/refusal.ts'
import { type Command, type CommandContext, recordOne } from '../../database/command.ts'
import { formatTime } from '../../base/times.ts'
import type { SignUp } from '../../public-pages/sign-up.ts'
import { queueReactions, subscriptionAutoresponders } from '../autoresponders/reactions.ts'
import { fieldsOfList } from '../custom-fields/queries.ts'
import { defaultValue, type FieldDefinition, mergeValues, missingFields } from '../custom-fields/rules.ts'
import { localListById, type MailingListRow } from '../mailing-lists/queries.ts'
import { addSubscriber, changeSubscriber, type SubscriberScope } from '../subscribers/commands.ts'
import { subscribersNamed, type SubscriberRow } from '../subscribers/queries.ts'
import { emailComplaint, emailKey, isEmail, takenEmail } from '../subscribers/rules.ts'
import type { SubscriberInput } from '../subscribers/schema.ts'
import { day, storeUntilConfirmed } from './confirmation.ts'
import { enforcesConfirmedOptIn, type WebFormRow } from './queries.ts'

export interface SignUpInput {
  formId: number
  signUp: SignUp
  ip: string | null
  /** UNIX milliseconds; left out = now. */
  at?: number
  /** True = values that a field does not take are left out, since nobody is there any more to correct them. */
  leavesOutFaulty?: boolean
}

/**
 * Takes what a visitor posted on the page of a form. What it answers tells nothing of who is on the list.
 * @returns false if the form has no page any more
 * @throws ApiError validation_failed for values that the list does not take
 */
export const signUp: Command<SignUpInput, boolean> = async (context, input) => {
  const found = await formWithPage(context, input.formId)
  if (!found) return false
  const { form, list, scope } = found
  const fields = await fieldsOfList(context.db, scope.organizationId, list.id)
  const at = input.at ?? context.now
  const subscriber: SubscriberInput = {
    ...{ email: input.signUp.email, status: 'active', custom_fields: valuesOf(input, form, fields) },
    ...{
      apply_custom_field_defaults: true,
      skip_autoresponders: false,
      autoresponder_exclude_reacted: false
    },
    subscribe_time: formatTime(at, 'UTC'),
    ...(input.ip !== null && { subscribe_ip: input.ip })
  }
  // Before anything is looked up: the answer must tell nothing of who is on the list.
  requireValid(fields, subscriber)
  const known = await knownSubscriber(context, list, subscriber.email)
  if (known?.status === 'active') return true
  if (form.requires_confirmation === 1 || (await enforcesConfirmedOptIn(context.db, scope.organizationId))) {
    await askToConfirm(context, scope, form, subscriber)
    return true
  }
  // A complaint is taken back by the person alone, who confirms it; what a user has deactivated, by users.
  if (known?.status === 'scomp' || known?.status === 'deactivated') return true
  try {
    await subscribe(context, scope, list, subscriber)
  } catch (error) {
    if (!(error instanceof ApiError && error.refusals.some(({ rule }) => rule === 'taken_key'))) throw error
  }
  return true
}

/** Queues a confirmation message; for an address that waits already once more at the most, so that nobody is flooded with them. */
async function askToConfirm(
  context: CommandContext,
  scope: SubscriberScope,
  form: WebFormRow,
  subscriber: SubscriberInput
): Promise<void> {
  const { db, now, clock } = context
  const waiting = await db
    .selectFrom('pending_subscriptions')
    .selectAll()
    .where('mailing_list_id', '=', scope.mailingListId)
    .where('web_form_id', '=', form.id)
    .where('email_key', '=', emailKey(subscriber.email))
    .where('expires_at', '>', clock)
    .executeTakeFirst()
  if (!waiting) return storeUntilConfirmed(context, scope, form, subscriber)
  if (waiting.is_repeated === 1) return
  const hasLeft = waiting.queued_at === null
  await db
    .updateTable('pending_subscriptions')
    .set({
      subscriber: JSON.stringify(subscriber),
      ...(hasLeft && { queued_at: now, is_repeated: 1, expires_at: clock + form.confirmation_days * day })
    })
    .where('id', '=', waiting.id)
    .execute()
  recordOne(context, 'pending_subscription', 'update', scope, waiting.id)
}

/** @throws ApiError validation_failed naming each faulty field */
function requireValid(
  fields: readonly FieldDefinition[],
  { email, custom_fields = {} }: SubscriberInput
): void {
  const faults = new Faults()
  if (!isEmail(email)) faults.add(refusalAt('email', emailComplaint(email)))
  const values = mergeValues({}, fields, custom_fields, (fault) => faults.add(fault))
  faults.throwIfAny()
  const unfilled = fields.filter((field) => defaultValue(field) === null)
  for (const fault of missingFields(unfilled, values)) faults.add(fault)
  faults.throwIfAny()
}

/** Adds a subscriber who agreed, or makes the one with this address active again, and queues what autoresponders send. @returns the id */
export async function subscribe(
  context: CommandContext,
  scope: SubscriberScope,
  list: MailingListRow,
  subscriber: SubscriberInput
): Promise<number> {
  const known = await knownSubscriber(context, list, subscriber.email)
  // Only users take that back.
  if (known?.status === 'deactivated') throw validationFailed(...takenEmail)
  const { id, emailKey } = known
    ? { id: known.id, ...(await changeSubscriber(context, scope, known, subscriber)) }
    : await addSubscriber(context, { ...scope, subscriber })
  const reacting = await subscriptionAutoresponders(context, list.id, { emailKey })
  await queueReactions(context, reacting, { subscriberId: id, timeZone: scope.timeZone })
  return id
}

/** Returns the subscriber with an address, on a list where there is one at most. */
async function knownSubscriber(
  { db }: CommandContext,
  list: MailingListRow,
  email: string
): Promise<SubscriberRow | undefined> {
  if (list.primary_key_custom_field_id !== null) return undefined
  return (await subscribersNamed(db, list.id, [{ email }]))[0]
}

interface FormWithPage {
  form: WebFormRow
  list: MailingListRow
  scope: SubscriberScope
}

async function formWithPage({ db }: CommandContext, id: number): Promise<FormWithPage | null> {
  const found = await db
    .selectFrom('web_forms')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_id')
    .innerJoin('organizations', 'organizations.id', 'organization_id')
    .selectAll('web_forms')
    .select(['organization_id', 'time_zone_name'])
    .where('web_forms.id', '=', id)
    .where('has_page', '=', 1)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!found) return null
  const { organization_id: organizationId, time_zone_name: timeZone, ...form } = found
  const list = await localListById(db, organizationId, form.mailing_list_id, 'subscribers')
  return { form, list, scope: { organizationId, timeZone, mailingListId: list.id } }
}

/** Returns what was entered, by the id of each field, as the API takes it. */
function valuesOf(
  { signUp: { values }, leavesOutFaulty = false }: SignUpInput,
  form: WebFormRow,
  fields: readonly FieldDefinition[]
): Record<string, unknown> {
  const shown = new Set([
    ...(JSON.parse(form.custom_field_ids) as number[]),
    ...fields.filter(({ required }) => required).map(({ id }) => id)
  ])
  const given: Record<string, unknown> = {}
  for (const field of fields) {
    // A box that is not ticked is not posted.
    const texts = values[field.id] ?? (field.type === 'boolean' && shown.has(field.id) ? [''] : undefined)
    if (texts === undefined) continue
    const value = valueOf(field, texts)
    let isFaulty = false
    mergeValues({}, fields, { [field.id]: value }, () => (isFaulty = true))
    if (!isFaulty || !leavesOutFaulty) given[field.id] = value
  }
  return given
}

function valueOf({ type }: FieldDefinition, texts: readonly string[]): unknown {
  const [text = ''] = texts
  if (type === 'select_multiple_checkboxes') return texts
  if (type === 'boolean') return text === '1'
  return type === 'number' && /^-?\d+$/.test(text.trim()) ? Number(text) : text
}
