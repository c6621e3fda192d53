import { type Command, type CommandContext, inBackground, recordRow } from '../../database/command.ts'
import { recordEdit, type RecordTables } from '../../database/record-rows.ts'
import { notFound } from '../../base/errors.ts'
import { mailingListById } from '../mailing-lists/queries.ts'
import { namesOf, requireFreeName } from '../../http/names.ts'
import { suppressionListById, type SuppressionListRow, suppressionListsOf } from './queries.ts'
import { readSuppressed, type SuppressedRow, suppressedRowOf } from './rules.ts'
import type { SuppressionListChanges, SuppressionListInput } from './schema.ts'

export const suppressionListTables: RecordTables = {
  entity: 'suppression_list',
  table: 'suppression_lists',
  parts: []
}

interface Scope {
  organizationId: number
}

/** Adds a suppression list. @throws ApiError validation_failed when the name is taken or the list does not exist */
const createSuppressionList: Command<
  Scope & { suppressionList: SuppressionListInput },
  SuppressionListRow
> = async (context, { organizationId, suppressionList: { name, mailing_list_id = null } }) => {
  requireFreeName(await suppressionListsOf(context.db, organizationId), name, null, 'suppression list')
  if (mailing_list_id !== null) await mailingListById(context.db, organizationId, mailing_list_id)
  const row = await context.db
    .insertInto('suppression_lists')
    .values({
      organization_id: organizationId,
      mailing_list_id,
      ...namesOf(name),
      created_at: context.now,
      updated_at: context.now
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordRow(context, 'suppression_list', 'create', row)
  return row
}

interface Named extends Scope {
  id: number
}

const updateSuppressionList: Command<
  Named & { changes: SuppressionListChanges },
  SuppressionListRow
> = async (context, { organizationId, id, changes }) => {
  const before = await suppressionListById(context.db, organizationId, id)
  const { name = before.name, mailing_list_id = before.mailing_list_id } = changes
  requireFreeName(await suppressionListsOf(context.db, organizationId), name, id, 'suppression list')
  if (mailing_list_id !== null && mailing_list_id !== before.mailing_list_id) {
    await mailingListById(context.db, organizationId, mailing_list_id)
  }
  const owner = { organizationId, mailingListId: mailing_list_id }
  return recordEdit(context, suppressionListTables, owner, id, () =>
    context.db
      .updateTable('suppression_lists')
      .set({ ...namesOf(name), mailing_list_id, updated_at: context.now })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
  )
}

const rowsOfStatement = 50

interface RequestInput extends Named {
  userId: number
  /**
   * Addresses, one per line, in a form that {@link readSuppressed} knows; each part is written by one
   * command.
   */
  parts: string[]
}

/**
 * Stores a request for many addresses, which {@link continueSuppression} processes.
 * @returns the request's id
 */
export const startSuppression: Command<RequestInput, number> = async (
  context,
  { organizationId, id, userId, parts }
) => {
  await suppressionListById(context.db, organizationId, id)
  const request = await context.db
    .insertInto('suppression_requests')
    .values({ suppression_list_id: id, user_id: userId })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (let at = 0; at < parts.length; at += rowsOfStatement) {
    const rows = parts
      .slice(at, at + rowsOfStatement)
      .map((addresses) => ({ request_id: request.id, addresses }))
    await context.db.insertInto('suppression_request_parts').values(rows).execute()
  }
  return request.id
}

/**
 * Adds addresses to a list and skips those that are already on it.
 * @returns the number of added addresses
 */
export async function addSuppressed(
  context: CommandContext,
  { suppression_list_id, user_id }: { suppression_list_id: number; user_id: number },
  rows: SuppressedRow[]
): Promise<number> {
  let added = 0n
  for (let start = 0; start < rows.length; start += rowsOfStatement) {
    const some = rows.slice(start, start + rowsOfStatement)
    const { numInsertedOrUpdatedRows = 0n } = await context.db
      .insertInto('suppressed_addresses')
      .values(some.map((row) => ({ ...row, suppression_list_id, user_id })))
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    added += numInsertedOrUpdatedRows
  }
  const list = await context.db
    .updateTable('suppression_lists')
    .set((set) => ({ addresses: set('addresses', '+', Number(added)), updated_at: context.now }))
    .where('id', '=', suppression_list_id)
    .returningAll()
    .executeTakeFirstOrThrow()
  recordRow(context, 'suppression_list', 'update', list)
  return Number(added)
}

/** Writes the next addresses of a request; those that are there already stay as they are. @returns whether some are left */
export const continueSuppression = inBackground<{ id: number }, boolean>(async (context, { id }) => {
  const { db } = context
  const request = await db
    .selectFrom('suppression_requests')
    .innerJoin('suppression_lists', 'suppression_lists.id', 'suppression_list_id')
    .select(['suppression_list_id', 'user_id', 'organization_id'])
    .where('suppression_requests.id', '=', id)
    .executeTakeFirst()
  if (!request) return false
  const [part, next] = await db
    .selectFrom('suppression_request_parts')
    .select(['id', 'addresses'])
    .where('request_id', '=', id)
    .orderBy('id')
    .limit(2)
    .execute()
  if (part) {
    const rows = part.addresses.split('\n').flatMap((line) => suppressedRowOf(line) ?? [])
    await addSuppressed(context, request, rows)
    await db.deleteFrom('suppression_request_parts').where('id', '=', part.id).execute()
  }
  if (next) return true
  await db.deleteFrom('suppression_requests').where('id', '=', id).execute()
  return false
})

/** Removes an address of a list, by id or as it is written. @throws ApiError not_found */
const deleteSuppressedAddress: Command<Named & { address: string }, void> = async (
  context,
  { organizationId, id, address }
) => {
  const list = await suppressionListById(context.db, organizationId, id)
  const suppressed = /^\d{1,15}$/.test(address) ? null : readSuppressed(address)
  const { numDeletedRows } = await context.db
    .deleteFrom('suppressed_addresses')
    .where('suppression_list_id', '=', id)
    .where((where) =>
      suppressed ? where('key', '=', suppressed.key) : where('id', '=', Number(address) || 0)
    )
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound('suppressed address', address)
  await context.db
    .updateTable('suppression_lists')
    .set((set) => ({ addresses: set('addresses', '-', 1), updated_at: context.now }))
    .where('id', '=', id)
    .execute()
  recordRow(context, 'suppression_list', 'update', list)
}

export const suppressionListCommands = {
  create: createSuppressionList,
  update: updateSuppressionList,
  startSuppression,
  continueSuppression,
  deleteAddress: deleteSuppressedAddress
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    suppressionLists: typeof suppressionListCommands
  }
}
