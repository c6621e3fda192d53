import { markRemovalsUnwritten } from '../remote-lists/removals.ts'
import { holdsMoved, recordAbsent } from '../bulk-actions/absent-commands.ts'
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { type Command, type CommandContext, inBackground, recordOne } from '../../database/command.ts'
import { recordDeletion, recordEdit, type RecordTables } from '../../database/record-rows.ts'
import type { ChangeAction } from '../../database/schema.ts'
import { purgeRemoteRecipients, purgeRemoteRemovals } from '../remote-lists/purge.ts'
import { SubscriberTally } from '../subscriber-counts/tally.ts'
import { Faults, notFound, validationFailed } from '../../base/errors.ts'
import { type Refusal, refusal } from '../../base/refusal.ts'
import { fieldsOfList, globalFields } from '../custom-fields/queries.ts'
import { mergeValues, type StoredValues } from '../custom-fields/rules.ts'
import { unfinishedExportStates } from '../subscriber-exports/queries.ts'
import { unfinishedStates } from '../subscriber-imports/rules.ts'
import { mailingListById } from './queries.ts'
import { noReferences, readReferences } from './references.ts'
import { checkPrimaryKey, confirmationLifetime, defaultAttributes, mergeAttributes } from './rules.ts'
import type { MailingListChanges, MailingListInput } from './schema.ts'

/** Deleting a list takes its autoresponders with it. */
export const mailingListTables: RecordTables = {
  entity: 'mailing_list',
  table: 'mailing_lists',
  parts: [
    { table: 'mailing_list_seed_lists', where: 'mailing_list_id = :id' },
    { table: 'autoresponders', where: 'mailing_list_id = :id' }
  ]
}

interface CreateInput {
  organizationId: number
  list: MailingListInput
}

const createMailingList: Command<CreateInput, number> = async (context, { organizationId, list }) => {
  const faults = new Faults()
  const attributes = mergeAttributes(defaultAttributes, list, faults)
  const references = await readReferences(context.db, organizationId, null, list, faults)
  const preview = await readPreview(context, organizationId, null, {}, list, faults)
  const fieldId = list.primary_key_custom_field_id ?? null
  if (fieldId !== null) checkPrimaryKey(await globalFields(context.db, organizationId), fieldId, faults)
  faults.throwIfAny()
  const { id } = await context.db
    .insertInto('mailing_lists')
    .values({
      ...attributes,
      ...references.columns,
      preview_custom_field_data: preview,
      primary_key_custom_field_id: fieldId,
      organization_id: organizationId,
      created_at: context.now,
      updated_at: context.now
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await saveSeedLists(context, id, references.seedListIds)
  recordList(context, 'create', organizationId, id)
  return id
}

/** The primary key is changed by startRekey. */
export interface UpdateInput {
  organizationId: number
  id: number
  changes: MailingListChanges
}

/** Changes the properties in the request, except the primary key. */
const updateMailingList: Command<UpdateInput, void> = async (context, input) => {
  const { organizationId, id } = input
  const { before, columns, seedListIds } = await readChanges(context, input)
  if (columns.database_connection_id !== before.database_connection_id)
    await markRemovalsUnwritten(context, [id])
  await recordEdit(context, mailingListTables, { organizationId, mailingListId: id }, id, async () => {
    await context.db
      .updateTable('mailing_lists')
      .set({ ...columns, updated_at: context.now })
      .where('id', '=', id)
      .execute()
    await saveSeedLists(context, id, seedListIds)
  })
  await retryConfirmations(context, id)
}

/** Has confirmation messages tried at once that wait for other settings of their list. */
async function retryConfirmations({ db }: CommandContext, id: number): Promise<void> {
  const forms = db.selectFrom('web_forms').select('id').where('mailing_list_id', '=', id)
  await db
    .updateTable('confirmation_deliveries')
    .set({ waits_until: null })
    .where('web_form_id', 'in', forms)
    .execute()
}

/**
 * Returns a list, and what updateMailingList would write.
 * @throws ApiError validation_failed naming each faulty field
 */
export async function readChanges(context: CommandContext, { organizationId, id, changes }: UpdateInput) {
  const row = await mailingListById(context.db, organizationId, id)
  const faults = new Faults()
  const attributes = mergeAttributes(row, changes, faults)
  const references = await readReferences(context.db, organizationId, row, changes, faults)
  const stored = JSON.parse(row.preview_custom_field_data) as StoredValues
  const preview = await readPreview(context, organizationId, id, stored, changes, faults)
  faults.throwIfAny()
  const { is_remote_list: fixed, ...columns } = references.columns
  return {
    before: row,
    columns: { ...attributes, ...columns, preview_custom_field_data: preview },
    seedListIds: references.seedListIds
  }
}

/** Merges the preview data of a request into the stored data (docs/api.md, "Mailing lists"). */
async function readPreview(
  context: CommandContext,
  organizationId: number,
  mailingListId: number | null,
  before: StoredValues,
  { preview_custom_field_data: given = {} }: MailingListChanges,
  faults: Faults
): Promise<string> {
  const fields =
    mailingListId === null
      ? await globalFields(context.db, organizationId)
      : await fieldsOfList(context.db, organizationId, mailingListId)
  const after = mergeValues(before, fields, given, (fault) => faults.add(previewRefusal(fault)))
  return JSON.stringify(after)
}

function previewRefusal(fault: Refusal): Refusal {
  const field = fault.field?.replace(/^custom_fields\./, 'preview_custom_field_data.')
  return { ...fault, ...(field !== undefined && { field }) }
}

async function saveSeedLists(
  context: CommandContext,
  id: number,
  seedListIds: number[] | null
): Promise<void> {
  if (!seedListIds) return
  await context.db.deleteFrom('mailing_list_seed_lists').where('mailing_list_id', '=', id).execute()
  if (seedListIds.length === 0) return
  await context.db
    .insertInto('mailing_list_seed_lists')
    .values(seedListIds.map((seedListId) => ({ mailing_list_id: id, seed_list_id: seedListId })))
    .execute()
}

interface ListInput {
  organizationId: number
  id: number
}

/** Issues a new confirmation code for deleting the list, which replaces an earlier one. */
export const issueDeleteConfirmation: Command<ListInput, { code: string; expiresAt: number }> = async (
  context,
  { organizationId, id }
) => {
  await mailingListById(context.db, organizationId, id)
  const expiresAt = context.now + confirmationLifetime
  // <40 hex>:<unix expiry> (docs/api.md, "Mailing lists")
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

const { is_remote_list: fixed, ...released } = noReferences

/**
 * Marks the list deleted and cancels its unfinished imports, exports and campaigns. purgeDeletedList deletes
 * the subscribers once the list can no longer be restored (docs/api.md, "Mailing lists").
 */
const deleteMailingList: Command<DeleteInput, void> = async (context, { organizationId, id, code }) => {
  const { name } = await mailingListById(context.db, organizationId, id)
  const confirmation = await context.db
    .selectFrom('delete_confirmations')
    .selectAll()
    .where('mailing_list_id', '=', id)
    .executeTakeFirst()
  if (!confirmation || !sameText(confirmation.code, code)) {
    throw validationFailed(refusal('other_confirmation_code', { field: 'delete_confirmation_code' }))
  }
  if (confirmation.expires_at < context.now) {
    throw validationFailed(refusal('confirmation_code_expired', { field: 'delete_confirmation_code' }))
  }
  await context.db.deleteFrom('delete_confirmations').where('mailing_list_id', '=', id).execute()
  const owner = { organizationId, mailingListId: id }
  await recordDeletion(context, mailingListTables, owner, { id, name }, () => markDeleted(context, id))
}

async function markDeleted(context: CommandContext, id: number): Promise<void> {
  await context.db
    .updateTable('subscriber_imports')
    .set({ state: 'cancelled', finished_at: context.now, updated_at: context.now })
    .where('mailing_list_id', '=', id)
    .where('state', 'in', unfinishedStates)
    .execute()
  await context.db
    .updateTable('subscriber_exports')
    .set({ state: 'cancelled', finished_at: context.now, updated_at: context.now })
    .where('mailing_list_id', '=', id)
    .where('state', 'in', unfinishedExportStates)
    .execute()
  await context.db
    .updateTable('dispatches')
    .set({ state: 'cancelled', finished_at: context.now })
    .where('state', 'in', ['scheduled', 'sending'])
    .where('campaign_id', 'in', (select) =>
      select.selectFrom('campaigns').select('id').where('mailing_list_id', '=', id)
    )
    .execute()
  await context.db
    .updateTable('mailing_lists')
    .set({ ...released, deleted_at: context.now, updated_at: context.now })
    .where('id', '=', id)
    .execute()
  await saveSeedLists(context, id, [])
  await context.db
    .updateTable('autoresponders')
    .set({ virtual_mta_id: null, url_domain_id: null, bounce_email_id: null })
    .where('mailing_list_id', '=', id)
    .execute()
}

export function recordList(
  context: CommandContext,
  action: ChangeAction,
  organizationId: number,
  id: number
): void {
  recordOne(context, 'mailing_list', action, { organizationId, mailingListId: id }, id)
}

function sameText(a: string, b: string): boolean {
  const [first, second] = [Buffer.from(a), Buffer.from(b)]
  return first.length === second.length && timingSafeEqual(first, second)
}

/**
 * Makes a deleted list unrestorable at once.
 * @throws ApiError not_found
 */
const purgeMailingListNow: Command<ListInput, void> = async (context, { organizationId, id }) => {
  const { numUpdatedRows } = await context.db
    .updateTable('mailing_lists')
    .set({ expired: 1 })
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is not', null)
    .where('expired', '=', 0)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw notFound('deleted list', id)
  recordOne(context, 'mailing_list', 'delete', { organizationId, mailingListId: id }, id, { for_good: true })
}

/** Subscribers deleted per step: few enough that other writes do not wait noticeably. */
const purgedAtOnce = 100

/**
 * Deletes some subscribers and pending subscriptions of a deleted list.
 * @returns true if there may be more
 */
export const purgeDeletedList = inBackground<{ mailingListId: number }, boolean>(
  async (context, { mailingListId }) => {
    const pending = await context.db
      .deleteFrom('pending_subscriptions')
      .where('id', 'in', (select) =>
        select
          .selectFrom('pending_subscriptions')
          .select('id')
          .where('mailing_list_id', '=', mailingListId)
          .limit(purgedAtOnce)
      )
      .returning('id')
      .execute()
    if (pending.length === purgedAtOnce) return true
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
    // Subscribers that were moved to this list may be moved back by an undo.
    if (await holdsMoved(context, mailingListId)) await recordAbsent(context, removed)
    const tally = new SubscriberTally(mailingListId)
    for (const { id, status } of removed) tally.removed(id, status)
    await tally.save(context)
    if (removed.length === purgedAtOnce) return true
    if (await purgeRemoteRecipients(context.db, mailingListId, purgedAtOnce)) return true
    if (await purgeRemoteRemovals(context.db, mailingListId, purgedAtOnce)) return true
    await context.db.deleteFrom('import_schedules').where('mailing_list_id', '=', mailingListId).execute()
    await context.db.deleteFrom('write_backs').where('mailing_list_id', '=', mailingListId).execute()
    await context.db.deleteFrom('subscriber_days').where('mailing_list_id', '=', mailingListId).execute()
    await context.db
      .updateTable('mailing_lists')
      .set({ purged_at: context.now, database_connection_id: null })
      .where('id', '=', mailingListId)
      .execute()
    return false
  }
)

export const mailingListCommands = {
  create: createMailingList,
  update: updateMailingList,
  issueDeleteConfirmation,
  delete: deleteMailingList,
  purgeNow: purgeMailingListNow,
  purge: purgeDeletedList
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    mailingLists: typeof mailingListCommands
  }
}
