import type { CommandContext } from '../../database/command.ts'
import type { AutoresponderRow } from './queries.ts'
import { dueAt, matchesGlob } from './rules.ts'
import { compiledQuery } from '../../database/compiled-query.ts'

// A reaction is a message that an autoresponder is to send to one subscriber. Those of paused autoresponders are queued
// as well, and wait.

interface Subscription {
  emailKey: string
  /** The request's autoresponder_filter. */
  filter?: string | undefined
  /** The request's autoresponder_exclude_reacted. */
  excludeReacted?: boolean
}

const autorespondersOnSubscription = compiledQuery<{ mailingListId: number }, AutoresponderRow>((db, value) =>
  db
    .selectFrom('autoresponders')
    .selectAll()
    .where('mailing_list_id', '=', value('mailingListId'))
    .where('trigger', '=', 'subscription')
    .where('trigger_run_on_api', '=', 1)
    .orderBy('id')
)

/**
 * Returns the autoresponders that are triggered when a subscriber is added through the API
 * (docs/api.md, "Subscribers").
 */
export async function subscriptionAutoresponders(
  context: CommandContext,
  mailingListId: number,
  { emailKey, filter, excludeReacted }: Subscription
): Promise<AutoresponderRow[]> {
  const all = await autorespondersOnSubscription(context.db, { mailingListId })
  const matching = filter?.trim() ? all.filter(({ name }) => matchesGlob(filter, name)) : all
  const ids = matching.map(({ id }) => id)
  return excludeReacted && (await hasReaction(context, mailingListId, emailKey, ids)) ? [] : matching
}

/**
 * True if one of the autoresponders has a queued message for this mailbox, which several subscribers may
 * share.
 */
async function hasReaction(
  context: CommandContext,
  mailingListId: number,
  emailKey: string,
  autoresponderIds: number[]
): Promise<boolean> {
  if (autoresponderIds.length === 0) return false
  const sharing = (alternate: 'is' | 'is not') =>
    context.db
      .selectFrom('subscribers')
      .select('id')
      .where('mailing_list_id', '=', mailingListId)
      .where('email_key', '=', emailKey)
      .where('alternate_key', alternate, null)
  const found = await context.db
    .selectFrom('autoresponder_reactions')
    .select('id')
    .where('subscriber_id', 'in', sharing('is').unionAll(sharing('is not')))
    .where('autoresponder_id', 'in', autoresponderIds)
    .executeTakeFirst()
  return found !== undefined
}

interface Recipient {
  subscriberId: number
  /** For delays that end at a time of day. */
  timeZone: string
  contentReplacementFields?: Record<string, string>
}

async function recordTriggered(context: CommandContext, ids: number[]): Promise<void> {
  const { db, now } = context
  await db.updateTable('autoresponders').set({ triggered_at: now }).where('id', 'in', ids).execute()
  for (const id of ids) {
    // Something is to be sent, and nothing was changed that anyone has to see.
    const none = { organizationId: 0, mailingListId: null }
    context.record({
      entity: 'autoresponder',
      action: 'update',
      ...none,
      firstId: id,
      lastId: id,
      isUnlogged: true
    })
  }
}

export async function queueReactions(
  context: CommandContext,
  autoresponders: AutoresponderRow[],
  { subscriberId, timeZone, contentReplacementFields = {} }: Recipient
): Promise<void> {
  if (autoresponders.length === 0) return
  await context.db
    .insertInto('autoresponder_reactions')
    .values(
      autoresponders.map((autoresponder) => ({
        autoresponder_id: autoresponder.id,
        subscriber_id: subscriberId,
        due_at: dueAt(autoresponder, context.now, timeZone),
        content_replacement_fields: JSON.stringify(contentReplacementFields),
        created_at: context.now
      }))
    )
    .execute()
  await recordTriggered(
    context,
    autoresponders.map(({ id }) => id)
  )
}

/** Queues a message of each autoresponder for each active subscriber. */
export async function queueReactionsOfMany(
  context: CommandContext,
  autoresponders: AutoresponderRow[],
  subscriberIds: number[],
  timeZone: string
): Promise<void> {
  if (subscriberIds.length === 0) return
  for (const autoresponder of autoresponders) {
    const { numInsertedOrUpdatedRows: queued } = await context.db
      .insertInto('autoresponder_reactions')
      .columns(['autoresponder_id', 'subscriber_id', 'due_at', 'content_replacement_fields', 'created_at'])
      .expression((select) =>
        select
          .selectFrom('subscribers')
          .select((value) => [
            value.val(autoresponder.id).as('autoresponder_id'),
            'id',
            value.val(dueAt(autoresponder, context.now, timeZone)).as('due_at'),
            value.val('{}').as('content_replacement_fields'),
            value.val(context.now).as('created_at')
          ])
          .where('id', 'in', subscriberIds)
          .where('status', '=', 'active')
      )
      .executeTakeFirstOrThrow()
    if (queued !== 0n) await recordTriggered(context, [autoresponder.id])
  }
}
