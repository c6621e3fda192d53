import { type Command, type CommandContext, inBackground } from '../../database/command.ts'
import type { ListRekeysTable } from './tables.ts'
import { Faults, validationFailed } from '../../base/errors.ts'
import { type Complaint, complaint, refusal } from '../../base/refusal.ts'
import { bulkActionOn } from '../bulk-actions/queries.ts'
import { fieldsOfList } from '../custom-fields/queries.ts'
import type { FieldDefinition, StoredValues } from '../custom-fields/rules.ts'
import { unfinishedStates } from '../subscriber-imports/rules.ts'
import { alternateKeyOf, shownKey } from '../subscribers/rules.ts'
import { readChanges, recordList, type UpdateInput } from './commands.ts'
import { hasSubscribers, mailingListById } from './queries.ts'
import { checkPrimaryKey, keyField } from './rules.ts'
import { compiledQuery } from '../../database/compiled-query.ts'
import { remembered } from '../../database/remembered.ts'

// A list changes its primary key in three phases, each a sequence of short commands, while nothing else may change its
// subscribers: the new keys are collected in a table where a clash shows, then every subscriber gets its key, then the
// table is emptied. Interrupted while collecting, the change is given up; later, it is carried on.

const atOnce = 1000
const maxReported = 5

interface RekeyInput extends UpdateInput {
  /** null = the email */
  fieldId: number | null
}

/**
 * Starts to change the primary key of a list.
 * @returns true if steps follow; a list without subscribers is changed at once
 * @throws ApiError validation_failed if the field is not on the list or an import is running
 */
export const startRekey: Command<RekeyInput, boolean> = async (context, input) => {
  const { organizationId, id, fieldId } = input
  // The other changes of the request are applied once the key has changed. They are checked now, so that the
  // request fails as a whole.
  await readChanges(context, input)
  const list = await mailingListById(context.db, organizationId, id)
  if (list.primary_key_custom_field_id === fieldId) return false
  await refuseWhileRekeying(context, id)
  const fields = await fieldsOfList(context.db, organizationId, id)
  const faults = new Faults()
  if (fieldId !== null) checkPrimaryKey(fields, fieldId, faults)
  faults.throwIfAny()
  const action = await bulkActionOn(context.db, id)
  if (action) {
    throw validationFailed(refusal('key_while_bulk_action', { field: keyField, id: action.id }))
  }
  if (!(await hasSubscribers(context.db, organizationId, id))) {
    await setPrimaryKey(context, id, fieldId)
    return false
  }
  const running = await context.db
    .selectFrom('subscriber_imports')
    .select('id')
    .where('mailing_list_id', '=', id)
    .where('state', 'in', unfinishedStates)
    .executeTakeFirst()
  if (running) {
    throw validationFailed(refusal('key_while_import', { field: keyField, id: running.id }))
  }
  const undo = await context.db
    .selectFrom('import_undos')
    .innerJoin('subscriber_imports', 'subscriber_imports.id', 'import_undos.subscriber_import_id')
    .select('subscriber_imports.id')
    .where('subscriber_imports.mailing_list_id', '=', id)
    .where('import_undos.finished_at', 'is', null)
    .executeTakeFirst()
  if (undo) {
    throw validationFailed(refusal('key_while_undo', { field: keyField, id: undo.id }))
  }
  await context.db
    .insertInto('list_rekeys')
    .values({ mailing_list_id: id, custom_field_id: fieldId, phase: 'collecting', after_id: 0 })
    .execute()
  return true
}

/** After a step of a rekey: more to do, done, or refused with the reason. */
export type RekeyProgress = { more: true } | { more: false; refusal: Complaint | null }

/** Runs the next step of a change started by startRekey. */
export const continueRekey = inBackground<{ organizationId: number; id: number }, RekeyProgress>(
  async (context, { organizationId, id }) => {
    const rekey = await rekeyOf(context, id)
    if (!rekey) return { more: false, refusal: null }
    if (rekey.phase === 'clearing') return clearEntries(context, rekey)
    const fields = await fieldsOfList(context.db, organizationId, id)
    const field = fields.find((each) => each.id === rekey.custom_field_id)
    return rekey.phase === 'collecting'
      ? collectKeys(context, rekey, field)
      : applyKeys(context, rekey, field)
  }
)

/** Abandons a change before any subscriber was changed, such as after a restart. */
const abandonRekey: Command<{ id: number }, void> = async (context, { id }) => {
  await context.db
    .updateTable('list_rekeys')
    .set({ phase: 'clearing' })
    .where('mailing_list_id', '=', id)
    .where('phase', '=', 'collecting')
    .execute()
}

/** @throws ApiError validation_failed while the list changes its primary key */
export async function refuseWhileRekeying(context: CommandContext, mailingListId: number): Promise<void> {
  if (await rekeyOf(context, mailingListId)) {
    throw validationFailed(refusal('list_changes_key'))
  }
}

async function rekeyOf({ db }: CommandContext, mailingListId: number): Promise<ListRekeysTable | undefined> {
  const [rekey] = await remembered(db, `rekey ${mailingListId}`, () => rekeysOf(db, { mailingListId }))
  return rekey
}

const rekeysOf = compiledQuery<{ mailingListId: number }, ListRekeysTable>((db, value) =>
  db.selectFrom('list_rekeys').selectAll().where('mailing_list_id', '=', value('mailingListId'))
)

interface Keyed {
  id: number
  email_key: string
  custom_fields: string
}

async function collectKeys(
  context: CommandContext,
  rekey: ListRekeysTable,
  field: FieldDefinition | undefined
): Promise<RekeyProgress> {
  const rows = await nextSubscribers(context, rekey)
  const insert = context.sqlite.prepare<[number, string, number]>(
    'INSERT INTO rekey_entries (mailing_list_id, key, subscriber_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
  )
  const clashing = new Set<string>()
  for (const row of rows) {
    const key = keyOf(row, field)
    if (key === undefined) {
      return refuse(context, rekey, complaint('key_missing', { id: row.id, name: field?.name ?? '' }))
    }
    const { changes } = insert.run(rekey.mailing_list_id, key, row.id)
    if (changes === 0) clashing.add(field ? shownKey(key) : key)
  }
  if (clashing.size > 0) {
    const named = [...clashing].slice(0, maxReported).map((key) => `"${key}"`)
    const more = clashing.size > maxReported
    const name = field ? field.name : 'email'
    return refuse(
      context,
      rekey,
      complaint(more ? 'keys_shared_by_many' : 'keys_shared', { name, keys: named })
    )
  }
  await advance(context, rekey, rows, 'applying')
  return { more: true }
}

async function applyKeys(
  context: CommandContext,
  rekey: ListRekeysTable,
  field: FieldDefinition | undefined
): Promise<RekeyProgress> {
  const rows = await nextSubscribers(context, rekey)
  const update = context.sqlite.prepare<[string | null, number]>(
    'UPDATE subscribers SET alternate_key = ? WHERE id = ?'
  )
  for (const row of rows) update.run(field ? (keyOf(row, field) ?? null) : null, row.id)
  if (rows.length < atOnce) await setPrimaryKey(context, rekey.mailing_list_id, rekey.custom_field_id)
  await advance(context, rekey, rows, 'clearing')
  return { more: true }
}

async function clearEntries(context: CommandContext, rekey: ListRekeysTable): Promise<RekeyProgress> {
  const { changes } = context.sqlite
    .prepare<[number, number]>(
      `DELETE FROM rekey_entries WHERE (mailing_list_id, key) IN
         (SELECT mailing_list_id, key FROM rekey_entries WHERE mailing_list_id = ? LIMIT ?)`
    )
    .run(rekey.mailing_list_id, 5 * atOnce)
  if (changes > 0) return { more: true }
  await context.db.deleteFrom('list_rekeys').where('mailing_list_id', '=', rekey.mailing_list_id).execute()
  return { more: false, refusal: null }
}

/** The list keeps its key; the next steps delete what was collected. */
async function refuse(
  context: CommandContext,
  rekey: ListRekeysTable,
  refusal: Complaint
): Promise<RekeyProgress> {
  await abandonRekey(context, { id: rekey.mailing_list_id })
  return { more: false, refusal }
}

function nextSubscribers(context: CommandContext, rekey: ListRekeysTable): Promise<Keyed[]> {
  return context.db
    .selectFrom('subscribers')
    .select(['id', 'email_key', 'custom_fields'])
    .where('mailing_list_id', '=', rekey.mailing_list_id)
    .where('id', '>', rekey.after_id)
    .orderBy('id')
    .limit(atOnce)
    .execute()
}

function keyOf(row: Keyed, field: FieldDefinition | undefined): string | undefined {
  if (!field) return row.email_key
  return alternateKeyOf(field, JSON.parse(row.custom_fields) as StoredValues)
}

async function advance(
  context: CommandContext,
  rekey: ListRekeysTable,
  rows: Keyed[],
  next: ListRekeysTable['phase']
): Promise<void> {
  const change = rows.length < atOnce ? { phase: next, after_id: 0 } : { after_id: rows.at(-1)?.id ?? 0 }
  await context.db
    .updateTable('list_rekeys')
    .set(change)
    .where('mailing_list_id', '=', rekey.mailing_list_id)
    .execute()
}

async function setPrimaryKey(context: CommandContext, id: number, fieldId: number | null): Promise<void> {
  const { organization_id: organizationId } = await context.db
    .updateTable('mailing_lists')
    .set({ primary_key_custom_field_id: fieldId, updated_at: context.now })
    .where('id', '=', id)
    .returning('organization_id')
    .executeTakeFirstOrThrow()
  recordList(context, 'update', organizationId, id)
}

export const rekeyCommands = {
  begin: startRekey,
  continue: continueRekey,
  abandon: abandonRekey
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    rekeys: typeof rekeyCommands
  }
}
