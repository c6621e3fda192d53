import { type CommandContext, recordOne } from '../../database/command.ts'
import { validationFailed } from '../../base/errors.ts'
import { type Refusal, refusal } from '../../base/refusal.ts'
import { localListById } from '../mailing-lists/queries.ts'
import { emailKey } from '../subscribers/rules.ts'
import type { SubscriberInput } from '../subscribers/schema.ts'
import { enforcesConfirmedOptIn, type WebFormRow, webFormsOf } from './queries.ts'

// What confirmation_form_id means for a new subscriber (docs/api.md, "Subscribers").

/** In milliseconds. */
export const day = 24 * 60 * 60 * 1000

interface NewSubscriber {
  organizationId: number
  mailingListId: number
  subscriber: Pick<SubscriberInput, 'confirmation_form_id'>
}

/**
 * The form that a request names.
 * @throws ApiError validation_failed for one that will not do, and for none where the organization enforces one
 */
export async function confirmationForm(
  context: CommandContext,
  { organizationId, mailingListId, subscriber }: NewSubscriber
): Promise<WebFormRow | null> {
  const id = subscriber.confirmation_form_id
  if (id === undefined) {
    await refuseUnconfirmed(
      context,
      organizationId,
      refusal('opt_in_needs_form', { field: 'confirmation_form_id' })
    )
    return null
  }
  const list = await localListById(context.db, organizationId, mailingListId, 'subscribers')
  const form = (await webFormsOf(context.db, list.id)).find((each) => each.id === id)
  if (!form) throw validationFailed(refusal('no_form_of_list', { field: 'confirmation_form_id', id }))
  if (form.requires_confirmation !== 1) {
    throw validationFailed(refusal('form_without_confirmation', { field: 'confirmation_form_id', id }))
  }
  return form
}

/** @throws ApiError validation_failed with the reason if the organization enforces confirmed opt-in */
export async function refuseUnconfirmed(
  context: CommandContext,
  organizationId: number,
  reason: Refusal
): Promise<void> {
  if (await enforcesConfirmedOptIn(context.db, organizationId)) {
    throw validationFailed(reason)
  }
}

/** Stores a subscriber until they confirm. A later request of the same mailbox replaces an earlier one. */
export async function storeUntilConfirmed(
  context: CommandContext,
  { organizationId, mailingListId }: Omit<NewSubscriber, 'subscriber'>,
  form: WebFormRow,
  subscriber: SubscriberInput
): Promise<void> {
  const key = emailKey(subscriber.email)
  await context.db
    .deleteFrom('pending_subscriptions')
    .where('mailing_list_id', '=', mailingListId)
    .where('email_key', '=', key)
    .where('web_form_id', '=', form.id)
    .execute()
  const { id } = await context.db
    .insertInto('pending_subscriptions')
    .values({
      mailing_list_id: mailingListId,
      web_form_id: form.id,
      email: subscriber.email.trim(),
      email_key: key,
      subscriber: JSON.stringify(subscriber),
      created_at: context.now,
      queued_at: context.now,
      expires_at: context.clock + form.confirmation_days * day
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  recordOne(context, 'pending_subscription', 'create', { organizationId, mailingListId }, id)
}
