import { Faults } from '../../base/errors.ts'
import { refusalAt } from '../../base/refusal.ts'
import type { Command, CommandContext } from '../../database/command.ts'
import { formatTime } from '../../base/times.ts'
import type { SignUp } from '../../public-pages/sign-up.ts'
import { queueReactions, subscriptionAutoresponders } from '../autoresponders/reactions.ts'
import { fieldsOfList } from '../custom-fields/queries.ts'
import { type FieldDefinition, mergeValues } from '../custom-fields/rules.ts'
import { localListById, type MailingListRow } from '../mailing-lists/queries.ts'
import { addSubscriber, changeSubscriber, type SubscriberScope } from '../subscribers/commands.ts'
import { subscribersNamed, type SubscriberRow } from '../subscribers/queries.ts'
import { emailComplaint, isEmail } from '../subscribers/rules.ts'
import type { SubscriberInput } from '../subscribers/schema.ts'
import { storeUntilConfirmed } from './confirmation.ts'
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
    ...{ email: input.signUp.email, status: 'active', custom_fields: valuesOf(input, fields) },
    ...{
      apply_custom_field_defaults: true,
      skip_autoresponders: false,
      autoresponder_exclude_reacted: false
    },
    subscribe_time: formatTime(at, 'UTC'),
    ...(input.ip !== null && { subscribe_ip: input.ip })
  }
  const known = await knownSubscriber(context, list, subscriber.email)
  if (known?.status === 'active') return true
  if (form.requires_confirmation === 1 || (await enforcesConfirmedOptIn(context.db, scope.organizationId))) {
    // Refused now and not when it is confirmed, if it can be corrected now.
    requireValid(fields, subscriber)
    await storeUntilConfirmed(context, scope, form, subscriber)
    return true
  }
  // A complaint is taken back by the person alone, who confirms it.
  if (known?.status === 'scomp') return true
  await subscribe(context, scope, list, subscriber)
  return true
}

/** @throws ApiError validation_failed naming each faulty field */
function requireValid(
  fields: readonly FieldDefinition[],
  { email, custom_fields = {} }: SubscriberInput
): void {
  const faults = new Faults()
  if (!isEmail(email)) faults.add(refusalAt('email', emailComplaint(email)))
  mergeValues({}, fields, custom_fields, (fault) => faults.add(fault))
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
  fields: readonly FieldDefinition[]
): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const field of fields) {
    const texts = values[field.id]
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
