import type { CredentialPlace } from '../../base/credential-places.ts'
import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { type Command, type CommandContext, inBackground, recordRow } from '../../database/command.ts'
import { namesOf, requireFreeName } from '../../http/names.ts'
import { firstEventSince, newestEventId } from '../events/queries.ts'
import { updateRecording } from '../events/recording.ts'
import { eventTypesOf, messageById, webhookById, type WebhookRow, webhooksOf } from './queries.ts'
import type { WebhookChanges, WebhookInput } from './schema.ts'

interface Named {
  organizationId: number
  id: number
}

/** @throws ApiError validation_failed for a name that is taken, and for an address that is none */
const createWebhook: Command<{ organizationId: number; settings: WebhookInput }, WebhookRow> = async (
  context,
  { organizationId, settings }
) => {
  requireFreeName(await webhooksOf(context.db, organizationId), settings.name, null, 'webhook')
  const row = await context.db
    .insertInto('webhooks')
    .values({
      organization_id: organizationId,
      ...columnsOf(settings),
      position: await newestEventId(context.db),
      created_at: context.now,
      updated_at: context.now
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  updateRecording(context.sqlite)
  recordRow(context, 'webhook', 'create', row)
  return row
}

interface Update extends Named {
  changes: WebhookChanges
  /** Where new secrets are stored; left out: the same as before. */
  credentialPlace?: CredentialPlace
}

/**
 * Changes a webhook, whose waiting messages are tried again at once. One that a user had disabled begins with what happens from now on; one that
 * Listwright had disabled goes on where it was.
 * @throws ApiError as {@link createWebhook}
 */
const updateWebhook: Command<Update, WebhookRow> = async (
  context,
  { organizationId, id, changes, credentialPlace }
) => {
  const before = await webhookById(context.db, organizationId, id)
  const settings = { ...settingsOf(before), ...changes }
  requireFreeName(await webhooksOf(context.db, organizationId), settings.name, id, 'webhook')
  const beginsAnew = settings.is_enabled && before.is_enabled === 0 && before.disabled_at === null
  if (beginsAnew) {
    await context.db
      .deleteFrom('webhook_messages')
      .where('webhook_id', '=', id)
      .where('state', '=', 'waiting')
      .execute()
  }
  const row = await context.db
    .updateTable('webhooks')
    .set({
      ...columnsOf(settings),
      ...(credentialPlace !== undefined && { credential_place: credentialPlace }),
      ...(beginsAnew && { position: await newestEventId(context.db) }),
      ...{ failing_since: null, failures: 0, held_until: 0, fault: null, updated_at: context.now },
      ...((settings.is_enabled || changes.is_enabled === false) && { disabled_at: null })
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await sendWaitingNow(context, id)
  updateRecording(context.sqlite)
  recordRow(context, 'webhook', 'update', row)
  return row
}

const deleteWebhook: Command<Named, void> = async (context, { organizationId, id }) => {
  const row = await webhookById(context.db, organizationId, id)
  await context.db.deleteFrom('webhooks').where('id', '=', id).execute()
  updateRecording(context.sqlite)
  recordRow(context, 'webhook', 'delete', row, { name: row.name })
}

/** Sends all stored events since a time (UNIX milliseconds) once more, each with the id that it had. @throws ApiError validation_failed while it is disabled */
const replaySince: Command<Named & { since: number }, WebhookRow> = async (
  context,
  { organizationId, id, since }
) => {
  const webhook = await webhookById(context.db, organizationId, id)
  // Enabled again, it would begin with what happens from then on.
  if (webhook.is_enabled === 0) throw validationFailed(refusal('webhook_disabled', { name: webhook.name }))
  const first = await firstEventSince(context.db, since)
  // They are made again.
  await context.db
    .deleteFrom('webhook_messages')
    .where('webhook_id', '=', id)
    .where('state', '=', 'waiting')
    .where('first_event_id', '>=', first)
    .execute()
  const row = await context.db
    .updateTable('webhooks')
    .set((set) => ({ position: set.fn('min', [set.ref('position'), set.val(first - 1)]), held_until: 0 }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  recordRow(context, 'webhook', 'update', row)
  return row
}

/** @throws ApiError validation_failed for a message that is still to be delivered */
const replayMessage: Command<Named & { messageId: number }, void> = async (
  context,
  { organizationId, id, messageId }
) => {
  const webhook = await webhookById(context.db, organizationId, id)
  const { state } = await messageById(context.db, id, messageId)
  if (state === 'waiting') throw validationFailed(refusal('webhook_message_waiting'))
  await context.db
    .updateTable('webhook_messages')
    .set({ state: 'waiting', next_at: 0, first_attempt_at: null, attempts: 0 })
    .where('id', '=', messageId)
    .execute()
  recordUnlogged(context, webhook)
}

/** Makes every waiting message of a webhook due. */
export async function sendWaitingNow({ db }: CommandContext, webhookId: number): Promise<void> {
  await db
    .updateTable('webhook_messages')
    .set({ next_at: 0 })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'waiting')
    .execute()
}

/** Wakes the delivery and the windows, without an entry in the history. */
export function recordUnlogged(
  context: CommandContext,
  { id, organization_id }: Pick<WebhookRow, 'id' | 'organization_id'>
): void {
  context.record({
    ...{ entity: 'webhook', action: 'update', organizationId: organization_id, mailingListId: null },
    ...{ firstId: id, lastId: id, isUnlogged: true }
  })
}

/** Messages that are deleted at once. */
const deletedAtOnce = 2000

/**
 * Deletes from the log some of the messages that were made before a time, in UNIX milliseconds.
 * @returns true if there may be more
 */
const deleteOldMessages = inBackground<{ before: number }, boolean>(async ({ db }, { before }) => {
  const oldest = db
    .selectFrom('webhook_messages')
    .select(['id', 'created_at'])
    .where('state', '!=', 'waiting')
    .orderBy('id')
    .limit(deletedAtOnce)
  const { numDeletedRows } = await db
    .deleteFrom('webhook_messages')
    .where('id', 'in', (select) =>
      select.selectFrom(oldest.as('oldest')).select('id').where('created_at', '<', before)
    )
    .executeTakeFirst()
  return numDeletedRows === BigInt(deletedAtOnce)
})

function columnsOf({
  name,
  url,
  event_types,
  allows_private_addresses,
  is_enabled,
  batch_size
}: WebhookInput) {
  return {
    ...namesOf(name),
    url: checkedUrl(url),
    event_types: JSON.stringify([...new Set(event_types)]),
    batch_size,
    allows_private_addresses: Number(allows_private_addresses),
    is_enabled: Number(is_enabled)
  }
}

/** @throws ApiError validation_failed for anything but the address of a web page */
function checkedUrl(text: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw validationFailed(refusal('webhook_address', { field: 'url', text }))
  // The request would carry neither.
  if (url.username !== '' || url.password !== '')
    throw validationFailed(refusal('webhook_address_with_password', { field: 'url' }))
  url.hash = ''
  return url.href
}

function settingsOf(row: WebhookRow): WebhookInput {
  const { name, url, batch_size } = row
  return {
    ...{ name, url, batch_size },
    event_types: eventTypesOf(row),
    allows_private_addresses: row.allows_private_addresses === 1,
    is_enabled: row.is_enabled === 1
  }
}

export const webhookCommands = {
  create: createWebhook,
  update: updateWebhook,
  delete: deleteWebhook,
  replaySince,
  replayMessage,
  deleteOldMessages
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    webhooks: typeof webhookCommands
  }
}
