import { undoObstacle } from '../api/bulk-actions/rules.ts'
import { type FieldDefinition, type StoredValues } from '../api/custom-fields/rules.ts'
import { fieldsOfList } from '../api/custom-fields/queries.ts'
import { localListById } from '../api/mailing-lists/queries.ts'
import { refuseWhileRekeying } from '../api/mailing-lists/rekey-commands.ts'
import { SubscriberTally } from '../api/subscriber-counts/tally.ts'
import {
  differences,
  type SubscriberAttribute,
  subscriberAttributes,
  type SubscriberChange
} from '../api/subscribers/history.ts'
import type { SubscriberRow } from '../api/subscribers/queries.ts'
import { emailKey } from '../api/subscribers/rules.ts'
import { notFound, validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { type Command, type CommandContext, recordOne } from '../database/command.ts'
import type { ChangeLogTable } from '../database/schema.ts'
import { Removal } from './removal.ts'
import { overwriterOf, subscribersWithIds } from './subscribers.ts'
import type { Kept } from './work.ts'

// Undoing a change of a single subscriber, from what the change log keeps of it.

interface UndoInput {
  organizationId: number
  subscriberId: number
  /** The entry of the change log; null = the newest, which must be a deletion. */
  changeId: number | null
}

/**
 * Reverts one change of a subscriber, or restores a deleted one under its id.
 * @returns the list
 * @throws ApiError not_found; validation_failed if it cannot be undone (any more)
 */
const undoChange: Command<UndoInput, { mailingListId: number }> = async (context, input) => {
  const change = await changeNamed(context, input)
  const scope = { organizationId: input.organizationId, mailingListId: change.mailing_list_id }
  await localListById(context.db, scope.organizationId, scope.mailingListId, 'subscribers')
  await refuseWhileRekeying(context, scope.mailingListId)
  if (change.action === 'delete') await bringBack(context, scope, change)
  else await takeBack(context, scope, change)
  return { mailingListId: scope.mailingListId }
}

interface Scope {
  organizationId: number
  mailingListId: number
}

interface UndoneChange {
  id: number
  action: ChangeLogTable['action']
  mailing_list_id: number
  subscriberId: number
  details: SubscriberChange
}

async function changeNamed(
  { db, clock }: CommandContext,
  { organizationId, subscriberId, changeId }: UndoInput
): Promise<UndoneChange> {
  let query = db
    .selectFrom('change_log')
    .selectAll()
    .where('entity', '=', 'subscriber')
    .whereRef('first_id', '=', 'last_id')
    .where('first_id', '=', subscriberId)
    .where('organization_id', '=', organizationId)
  if (changeId !== null) query = query.where('id', '=', changeId)
  const row = await query.orderBy('id', 'desc').limit(1).executeTakeFirst()
  if (!row || row.mailing_list_id === null || (changeId === null && row.action !== 'delete')) {
    throw changeId === null ? notFound('deletion of subscriber', subscriberId) : notFound('change', changeId)
  }
  if (row.action === 'create') throw validationFailed(refusal('undo_of_adding'))
  const reason = undoObstacle(row, clock)
  if (reason !== null) throw validationFailed(reason)
  if (row.details === null) throw validationFailed(refusal('change_unknown'))
  const { id, action, mailing_list_id } = row
  return { id, action, mailing_list_id, subscriberId, details: JSON.parse(row.details) as SubscriberChange }
}

async function bringBack(context: CommandContext, scope: Scope, { details }: UndoneChange): Promise<void> {
  if (!details.removed) throw validationFailed(refusal('deletion_unknown'))
  const removal = await Removal.of(context, {
    organization_id: scope.organizationId,
    mailing_list_id: scope.mailingListId
  })
  const { kept } = await removal.putBack([details.removed])
  const [left] = kept
  if (left)
    throw validationFailed(refusal(reasons[left.reason] ?? 'cannot_be_restored', { email: left.email }))
  await removal.finish()
}

const reasons: Partial<Record<Kept['reason'], ReasonRule>> = {
  key_taken: 'on_list_again',
  key_changed: 'lacks_primary_key',
  limit: 'no_room_for_subscriber'
}

type ReasonRule = 'on_list_again' | 'lacks_primary_key' | 'no_room_for_subscriber'

async function takeBack(
  context: CommandContext,
  scope: Scope,
  { subscriberId, details }: UndoneChange
): Promise<void> {
  const [row] = await subscribersWithIds(context, scope.mailingListId, [subscriberId])
  if (!row) throw notFound('subscriber', subscriberId)
  const fields = await fieldsOfList(context.db, scope.organizationId, scope.mailingListId)
  refuseWhatChangedSince(row, details, fields)
  const removal = await Removal.of(context, {
    organization_id: scope.organizationId,
    mailing_list_id: scope.mailingListId
  })
  const former = removal.asItWas(asBefore(row, details))
  if (!former) throw validationFailed(refusal('former_key_invalid'))
  const after = { ...former, updated_at: context.now }
  if (!overwriterOf(context)(after)) {
    throw validationFailed(refusal('former_key_taken', { email: after.email }))
  }
  const tally = new SubscriberTally(scope.mailingListId)
  tally.moved(row.status, after.status)
  await tally.save(context)
  recordOne(context, 'subscriber', 'update', scope, row.id, differences(row, after))
}

/** @throws ApiError validation_failed naming the properties that were changed again since */
function refuseWhatChangedSince(
  row: SubscriberRow,
  details: SubscriberChange,
  fields: readonly FieldDefinition[]
): void {
  const values = JSON.parse(row.custom_fields) as StoredValues
  const changed = [
    ...changedAttributes(details).filter((name) => row[name] !== details[name]?.[1]),
    ...Object.entries(details.fields ?? {})
      .filter(([id, [, now]]) => JSON.stringify(values[id] ?? null) !== JSON.stringify(now))
      .map(([id]) => fields.find((field) => field.id === Number(id))?.name ?? `field ${id}`)
  ]
  if (changed.length > 0) {
    throw validationFailed(refusal('values_changed_again', { names: changed }))
  }
}

function changedAttributes(details: SubscriberChange): SubscriberAttribute[] {
  return subscriberAttributes.filter((name) => details[name] !== undefined)
}

function asBefore(row: SubscriberRow, details: SubscriberChange): SubscriberRow {
  const former = Object.fromEntries(changedAttributes(details).map((name) => [name, details[name]?.[0]]))
  const values = JSON.parse(row.custom_fields) as StoredValues
  for (const [id, [before]] of Object.entries(details.fields ?? {})) {
    if (before === null) delete values[id]
    else values[id] = before as StoredValues[string]
  }
  const before = { ...row, ...former, custom_fields: JSON.stringify(values) }
  return { ...before, email_key: emailKey(before.email) }
}

export const changeUndoCommands = { undo: undoChange }

declare module '../database/command.ts' {
  interface CommandRegistry {
    changes: typeof changeUndoCommands
  }
}
