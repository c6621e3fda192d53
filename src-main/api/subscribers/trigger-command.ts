import type { Command, CommandContext } from '../../database/command.ts'
import { ApiError, notFound, validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { type AutoresponderRow, autorespondersOf } from '../autoresponders/queries.ts'
import { queueReactions, subscriptionAutoresponders } from '../autoresponders/reactions.ts'
import { matchesGlob, replacementKeyFault } from '../autoresponders/rules.ts'
import { localListById } from '../mailing-lists/queries.ts'
import { refuseUnconfirmed } from '../web-forms/confirmation.ts'
import { addSubscriber, changeSubscriber, onlyOne, type SubscriberScope } from './commands.ts'
import { type SubscriberName, subscribersNamed } from './queries.ts'
import type { TriggerInput, TriggerResult } from './schema.ts'

interface Input extends SubscriberScope {
  name: SubscriberName
  request: TriggerInput
}

interface Triggered {
  subscriberId: number
  triggered: { id: number; name: string }[]
  subscriptionResult: TriggerResult['subscription_result']
}

/**
 * Triggers autoresponders for one subscriber, who is created or reactivated where the request asks for it
 * (docs/api.md, "Subscribers", trigger autoresponders). With any error nothing happens at all.
 */
export const triggerAutoresponders: Command<Input, Triggered> = async (context, input) => {
  const { request, timeZone } = input
  const list = await localListById(context.db, input.organizationId, input.mailingListId, 'subscribers')
  const keyFault = replacementKeyFault(request.content_replacement_fields)
  if (keyFault) throw new ApiError('invalid_request', keyFault)
  const named = await namedAutoresponders(context, list.id, request)
  const subscriber = await prepareSubscriber(context, input)

  const isNew = subscriber.subscriptionResult === 'created'
  const onSubscription =
    isNew && !request.skip_subscription_autoresponders
      ? await subscriptionAutoresponders(context, list.id, { emailKey: subscriber.emailKey })
      : []
  const others = onSubscription.filter(({ id }) => !named.some((each) => each.id === id))
  const recipient = { subscriberId: subscriber.id, timeZone }
  await queueReactions(context, named, {
    ...recipient,
    contentReplacementFields: request.content_replacement_fields
  })
  await queueReactions(context, others, recipient)
  return {
    subscriberId: subscriber.id,
    triggered: [...named, ...others].map(({ id, name }) => ({ id, name })),
    subscriptionResult: subscriber.subscriptionResult
  }
}

/** The autoresponders of the list that the request names by ids or by patterns; each must name one at least. */
async function namedAutoresponders(
  context: CommandContext,
  mailingListId: number,
  { autoresponder_ids: ids = [], autoresponder_names: names = [] }: TriggerInput
): Promise<AutoresponderRow[]> {
  if (ids.length > 0 && names.length > 0) {
    throw validationFailed(
      refusal('not_together', { field: 'autoresponder_ids', other: 'autoresponder_names' })
    )
  }
  if (ids.length === 0 && names.length === 0) {
    throw validationFailed(
      refusal('both_blank', { field: 'autoresponder_names', other: 'autoresponder_ids' })
    )
  }
  const all = await autorespondersOf(context.db, mailingListId)
  for (const id of ids) {
    if (!all.some((each) => each.id === id)) {
      throw validationFailed(
        refusal('autoresponder_not_on_list', { field: 'autoresponder_ids', autoresponder: id })
      )
    }
  }
  for (const pattern of names) {
    if (!all.some(({ name }) => matchesGlob(pattern, name))) {
      throw validationFailed(refusal('no_autoresponder_named', { field: 'autoresponder_names', pattern }))
    }
  }
  return all.filter(({ id, name }) => ids.includes(id) || names.some((pattern) => matchesGlob(pattern, name)))
}

interface Prepared {
  id: number
  emailKey: string
  subscriptionResult: TriggerResult['subscription_result']
}

async function prepareSubscriber(context: CommandContext, input: Input): Promise<Prepared> {
  const { name, request } = input
  const { for_all, for_new, for_active, for_reactivated } = request.custom_fields
  const found = await subscribersNamed(context.db, input.mailingListId, [name])
  if (found.length === 0) {
    if ('id' in name) throw notFound('subscriber', name.id)
    if (!request.create_missing_subscriber) throw notFound('subscriber', name.email)
    await refuseUnconfirmed(
      context,
      input.organizationId,
      refusal('enforces_opt_in', { field: 'create_missing_subscriber' })
    )
    const { id, emailKey } = await addSubscriber(context, {
      ...input,
      subscriber: {
        email: name.email,
        status: 'active',
        custom_fields: { ...for_all, ...for_new }
      }
    })
    return { id, emailKey, subscriptionResult: 'created' }
  }
  const row = onlyOne(found, name)
  if (row.status !== 'active' && !request.reactivate_subscriber) {
    throw new ApiError(
      'invalid_request',
      refusal('subscriber_not_active', { email: row.email, status: row.status })
    )
  }
  const isActive = row.status === 'active'
  const { emailKey } = await changeSubscriber(context, input, row, {
    status: 'active',
    custom_fields: { ...for_all, ...(isActive ? for_active : for_reactivated) }
  })
  return { id: row.id, emailKey, subscriptionResult: isActive ? 'remained_active' : 'reactivated' }
}

export const autoresponderTriggerCommands = { run: triggerAutoresponders }

declare module '../../database/command.ts' {
  interface CommandRegistry {
    autoresponderTriggers: typeof autoresponderTriggerCommands
  }
}
