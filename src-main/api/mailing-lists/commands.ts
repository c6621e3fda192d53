import { randomBytes, timingSafeEqual } from 'node:crypto'
import { type Command, type CommandContext, inBackground } from '../../database/command.ts'
import type { ChangeAction } from '../../database/schema.ts'
import { SubscriberTally } from '../../database/subscriber-tally.ts'
import { Faults, validationFailed } from '../../errors.ts'
import { fieldsOfList } from '../custom-fields/queries.ts'
import { readValues, type StoredValues } from '../custom-fields/rules.ts'
import { unfinishedStates } from '../subscriber-imports/rules.ts'
import { type MailingListRow, mailingListById } from './queries.ts'
import { confirmationLifetime, mergeAttributes } from './rules.ts'
import type { MailingListChanges, MailingListInput } from './schema.ts'

interface CreateInput {
  organizationId: number
  list: MailingListInput
}

/** @returns the id of the new list */
export const createMailingList: Command<CreateInput, number> = async (context, { organizationId, list }) => {
  const attributes = mergeAttributes(
    {
      name: '',
      d_from_email: null,
      d_from_name: null,
      d_reply_to: null,
      d_sender_email: null,
      d_speed: 0,
      d_autowinner_enabled: 0,
      d_autowinner_percentage: null,
      d_autowinner_delay_amount: null,
      d_autowinner_delay_unit: null,
      d_autowinner_metric: null,
      has_format: 0,
      has_confirmed: 0,
      custom_headers_enabled: 0,
      custom_headers: '',
      preview_custom_field_data: '{}',
      updated_at: context.now
    },
    list
  )
  if (list.primary_key_custom_field_id) {
    throw validationFailed(
      'primary_key_custom_field_id must be a custom field of the list, and a new list has none'
    )
  }
  const { id } = await context.db
    .insertInto('mailing_lists')
    .values({ ...attributes, organization_id: organizationId, created_at: context.now })
    .returning('id')
    .executeTakeFirstOrThrow()
  recordList(context, 'create', organizationId, id)
  return id
}

/** The primary key is changed by beginRekey. */
export interface UpdateInput {
  organizationId: number
  id: number
  changes: MailingListChanges
}

/** Changes what the request names and keeps the rest; the primary key is changed by beginRekey. */
export const updateMailingList: Command<UpdateInput, void> = async (context, input) => {
  const { organizationId, id } = input
  await context.db
    .updateTable('mailing_lists')
    .set({ ...(await columnsAfter(context, input)), updated_at: context.now })
    .where('id', '=', id)
    .execute()
  recordList(context, 'update', organizationId, id)
}

/**
 * What updateMailingList would write.
 * @throws ApiError validation_failed naming each faulty field
 */
export async function columnsAfter(context: CommandContext, { organizationId, id, changes }: UpdateInput) {
  const row = await mailingListById(context.db, organizationId, id)
  const after = mergeAttributes(settingsOf(row), changes)
  const fields = await fieldsOfList(context.db, organizationId, id)
  const faults = new Faults()
  const preview = JSON.parse(row.preview_custom_field_data) as StoredValues
  const previewChanges = readValues(fields, changes.preview_custom_field_data ?? {}, (fault) =>
    faults.add(fault)
  )
  faults.throwIfAny()
  for (const [fieldId, value] of previewChanges) {
    if (value === null) delete preview[fieldId]
    else preview[fieldId] = value
  }
  return { ...after, preview_custom_field_data: JSON.stringify(preview) }
}

/** The columns of a list that requests set. */
function settingsOf(row: MailingListRow) {
  const {
    id,
    organization_id,
    created_at,
    deleted_at,
    purged_at,
    primary_key_custom_field_id: primaryKey,
    ...settings
  } = row
  return settings
}

interface ListInput {
  organizationId: number
  id: number
}

/** A new confirmation code for deleting the list; it replaces an earlier one. */
export const issueDeleteConfirmation: Command<ListInput, { code: string; expiresAt: number }> = async (
  context,
  { organizationId, id }
) => {
  await mailingListById(context.db, organizationId, id)
  const expiresAt = context.now + confirmationLifetime
  // <40 hex>:<unix expiry> (supplement, section 2)
  const code = `${randomBytes(20).toString('hex')}:${Math.floor(expiresAt / 1000)}`
  await context.db
    .replaceInto('delete_confirmations')
    .values({ mailing_list_id: id, code, expires_at: expiresAt })
    .execute()
  return { code, expiresAt }
}

interface DeleteInput extends ListInput {
  code: string
}

/**
 * Marks the list deleted and cancels its unfinished imports; its subscribers are removed in the background by
 * purgeDeletedList (spec, "Deletion rules").
 */
export const deleteMailingList: Command<DeleteInput, void> = async (
  context,
  { organizationId, id, code }
) => {
  await mailingListById(context.db, organizationId, id)
  const confirmation = await context.db
    .selectFrom('delete_confirmations')
    .selectAll()
    .where('mailing_list_id', '=', id)
    .executeTakeFirst()
  if (!confirmation || !sameText(confirmation.code, code)) {
    throw validationFailed('delete_confirmation_code is not the one that was issued for this list')
  }
  if (confirmation.expires_at < context.now) {
    throw validationFailed('delete_confirmation_code has expired; ask for a new one')
  }
  await context.db.deleteFrom('delete_confirmations').where('mailing_list_id', '=', id).execute()
  await context.db
    .updateTable('subscriber_imports')
    .set({ state: 'cancelled', finished_at: context.now, updated_at: context.now })
    .where('mailing_list_id', '=', id)
    .where('state', 'in', unfinishedStates)
    .execute()
  await context.db
    .updateTable('mailing_lists')
    .set({ deleted_at: context.now, updated_at: context.now })
    .where('id', '=', id)
    .execute()
  recordList(context, 'delete', organizationId, id)
}

/** Notes a change of a list. */
export function recordList(
  context: CommandContext,
  action: ChangeAction,
  organizationId: number,
  id: number
): void {
  context.record({
    entity: 'mailing_list',
    action,
    organizationId,
    mailingListId: id,
    firstId: id,
    lastId: id
  })
}

function sameText(a: string, b: string): boolean {
  const [first, second] = [Buffer.from(a), Buffer.from(b)]
  return first.length === second.length && timingSafeEqual(first, second)
}

/** Subscribers removed by one purgeDeletedList: short enough that nothing waits for it noticeably. */
const purgedAtOnce = 500

/** Removes some subscribers of a deleted list. @returns whether there may be more */
export const purgeDeletedList = inBackground<{ mailingListId: number }, boolean>(
  async (context, { mailingListId }) => {
    const removed = await context.db
      .deleteFrom('subscribers')
      .where('id', 'in', (select) =>
        select
          .selectFrom('subscribers')
          .select('id')
          .where('mailing_list_id', '=', mailingListId)
          .orderBy('id')
          .limit(purgedAtOnce)
      )
      .returning(['id', 'status'])
      .execute()
    const tally = new SubscriberTally(mailingListId)
    for (const { id, status } of removed) tally.removed(id, status)
    await tally.save(context)
    if (removed.length === purgedAtOnce) return true
    await context.db
      .updateTable('mailing_lists')
      .set({ purged_at: context.now })
      .where('id', '=', mailingListId)
      .execute()
    return false
  }
)
