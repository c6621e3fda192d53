import { storeRefusal } from '../base/stored-refusal.ts'
import type { Selectable } from 'kysely'
import type { SelectedPart } from '../api/bulk-actions/selected-ids.ts'
import type { BulkActionChangesTable } from '../api/bulk-actions/tables.ts'
import {
  bulkActionRow,
  type BulkActionRow,
  canBeUndone,
  isUnused,
  nextSelected,
  selectionRow,
  settingsOf
} from '../api/bulk-actions/queries.ts'
import { type BulkActionSettings, undoDays } from '../api/bulk-actions/rules.ts'
import type { BulkActionInput } from '../api/bulk-actions/schema.ts'
import { localListById } from '../api/mailing-lists/queries.ts'
import { refuseWhileRekeying } from '../api/mailing-lists/rekey-commands.ts'
import { validationFailed } from '../base/errors.ts'
import { type Refusal, refusal } from '../base/refusal.ts'
import { packJson, unpackJson } from '../base/packed-json.ts'
import { type Command, type CommandContext, inBackground, recordRow } from '../database/command.ts'
import { currentSettings } from '../settings/queries.ts'
import { correctingDomains } from './kinds/correct-domains.ts'
import { copying } from './kinds/copy.ts'
import { deleting } from './kinds/delete.ts'
import { moving } from './kinds/move.ts'
import { settingField } from './kinds/set-field.ts'
import { settingStatus } from './kinds/set-status.ts'
import { suppressing } from './kinds/suppress.ts'
import { readSettings } from './read-settings.ts'
import type { BulkWork, Kept, Note } from './work.ts'

interface Owner {
  organizationId: number
  userId: number
}

interface SelectionInput extends Owner {
  mailingListId: number
  /** The selection in words. */
  description: string
  subscribers: number
  parts: SelectedPart[]
}

/**
 * Stores a selection.
 * @returns its id
 */
const storeSelection: Command<SelectionInput, number> = async (context, input) => {
  await localListById(context.db, input.organizationId, input.mailingListId, 'subscribers')
  const { id } = await context.db
    .insertInto('selections')
    .values({
      organization_id: input.organizationId,
      mailing_list_id: input.mailingListId,
      user_id: input.userId,
      description: input.description,
      subscribers: input.subscribers,
      created_at: context.now
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const insert = context.sqlite.prepare<[number, number, Uint8Array]>(
    'INSERT INTO selected_subscribers (selection_id, last_id, ids) VALUES (?, ?, ?)'
  )
  for (const { lastId, ids } of input.parts) insert.run(id, lastId, ids)
  return id
}

/** Removes a selection, unless something needs it by now. */
const deleteSelection: Command<{ id: number }, void> = async ({ db }, { id }) => {
  await db.deleteFrom('selections').where('id', '=', id).where(isUnused).execute()
}

interface CreateInput extends Owner {
  selectionId: number
  action: BulkActionInput
}

/**
 * Creates a bulk action on a selection.
 * @returns the action's id
 * @throws ApiError validation_failed if the action is impossible, not_found for another user's selection
 */
const createBulkAction: Command<CreateInput, number> = async (context, input) => {
  const { db } = context
  const selection = await selectionRow(db, input, input.selectionId)
  const { organization_id, mailing_list_id } = selection
  const list = await localListById(db, organization_id, mailing_list_id, 'subscribers')
  const { settings, targetId } = await readSettings(context, list, input.action)
  await refuseWhileImpossible(context, { mailing_list_id, target_id: targetId }, settings)
  const { id } = await db
    .insertInto('bulk_actions')
    .values({
      organization_id,
      mailing_list_id,
      user_id: input.userId,
      selection_id: selection.id,
      description: selection.description,
      settings: JSON.stringify(settings),
      target_id: targetId,
      state: 'running',
      total: selection.subscribers,
      created_at: context.now
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  recordRow(context, 'bulk_action', 'create', { id, organization_id, mailing_list_id })
  return id
}

/** @throws ApiError validation_failed while a list changes its primary key, or where subscribers must not be deleted */
async function refuseWhileImpossible(
  context: CommandContext,
  { mailing_list_id, target_id }: Pick<BulkActionRow, 'mailing_list_id' | 'target_id'>,
  { kind }: BulkActionSettings,
  removes = kind === 'delete' || kind === 'move'
): Promise<void> {
  await refuseWhileRekeying(context, mailing_list_id)
  const writesToList = kind === 'copy' || kind === 'move'
  if (writesToList && target_id !== null) await refuseWhileRekeying(context, target_id)
  if (removes) await refuseWhereKept(context)
}

/** @throws ApiError validation_failed where subscribers must not be deleted */
async function refuseWhereKept({ db }: CommandContext): Promise<void> {
  if ((await currentSettings(db)).service_disable_subscriber_deletion) {
    throw validationFailed(refusal('deletion_disabled'))
  }
}

interface Named {
  organizationId: number
  id: number
}

/** Stops an action; what it did stays, and can be undone. @throws ApiError validation_failed when it has ended */
const cancelBulkAction: Command<Named, void> = async (context, { organizationId, id }) => {
  const row = await bulkActionRow(context.db, organizationId, id)
  if (row.state !== 'running')
    throw validationFailed(
      refusal('job_in_state', { noun: 'a bulk action', state: row.state, participle: 'cancelled' })
    )
  await end(context, row, 'cancelled')
}

const failBulkAction: Command<{ id: number; fault: Refusal }, void> = async (context, { id, fault }) => {
  const row = await unfinishedAction(context, id)
  if (row) await end(context, row, 'failed', fault)
}

/**
 * Starts to undo an action.
 * @throws ApiError validation_failed if it cannot be undone (any more)
 */
const undoBulkAction: Command<Named, void> = async (context, { organizationId, id }) => {
  const row = await bulkActionRow(context.db, organizationId, id)
  await localListById(context.db, organizationId, row.mailing_list_id, 'subscribers')
  if (row.forgotten_at !== null) {
    throw validationFailed(refusal('bulk_action_too_old', { days: undoDays }))
  }
  if (!canBeUndone(row)) throw validationFailed(undoObstacle(row))
  const settings = settingsOf(row)
  await refuseWhileImpossible(context, row, settings, settings.kind === 'copy' || settings.kind === 'move')
  const { db } = context
  await db
    .updateTable('bulk_action_changes')
    .set({ is_tried: 0 })
    .where('bulk_action_id', '=', id)
    .where('is_tried', '=', 1)
    .execute()
  await db.deleteFrom('bulk_action_kept').where('bulk_action_id', '=', id).where('is_undo', '=', 1).execute()
  await saveProgress(context, {
    ...row,
    state: 'undoing',
    error_message: null,
    undo_done: row.undo_done - row.not_restored,
    not_restored: 0
  })
}

function undoObstacle({ state, changed }: BulkActionRow): Refusal {
  if (state === 'running') return refusal('undo_of_running_action')
  if (state === 'undoing') return refusal('action_being_undone')
  if (state === 'undone') return refusal('action_undone_already')
  return refusal(changed === 0 ? 'action_without_changes' : 'action_of_deleted_list')
}

const continueBulkAction = inBackground<{ id: number }, boolean>(async (context, { id }) => {
  const row = await unfinishedAction(context, id)
  if (!row) return false
  const isUndoing = row.state === 'undoing'
  const via = isUndoing ? 'bulk_action_undo' : 'bulk_action'
  context.origin = { via, causeId: row.id, userId: row.user_id }
  return isUndoing ? revertNext(context, row) : applyNext(context, row)
})

/**
 * Subscribers per step while other writes wait: a few milliseconds of work. If none wait, a step handles a whole stored block of the
 * selection.
 */
const perStepMeanwhile = 50

async function applyNext(context: CommandContext, row: BulkActionRow): Promise<boolean> {
  const work = await workOf(context, row)
  const after = { ...row }
  let isAll: boolean
  do {
    const part = await nextSelected(context.db, row.selection_id ?? 0, after.after_id)
    isAll = part.length === 0
    if (isAll) break
    const ids = context.isShared() ? part.slice(0, perStepMeanwhile) : part
    const { notes, same, kept } = await work.apply(ids)
    await note(context, row, notes)
    await keep(context, row, false, kept)
    after.after_id = ids.at(-1) ?? after.after_id
    after.done += ids.length
    after.changed += notes.length
    after.same += same
    after.kept += kept.length
  } while (!(await context.shouldPause()))
  await work.finish()
  await (isAll ? end(context, after, 'finished') : saveProgress(context, after))
  return !isAll
}

async function revertNext(context: CommandContext, row: BulkActionRow): Promise<boolean> {
  const work = await workOf(context, row)
  const after = { ...row }
  let isAll: boolean
  do {
    // The undo goes through the changes in reverse order.
    const written = await context.db
      .selectFrom('bulk_action_changes')
      .selectAll()
      .where('bulk_action_id', '=', row.id)
      .where('is_tried', '=', 0)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    isAll = !written
    if (!written) break
    const all = (await unpackJson(written.notes)) as Note[]
    const first = context.isShared() ? Math.max(0, all.length - perStepMeanwhile) : 0
    const notes = all.slice(first)
    const { restored, kept, left } = await work.takeBack(notes, written.written_at)
    await keep(context, row, true, kept)
    await replaceNotes(context, written, all.slice(0, first), left)
    after.undo_done += notes.length
    after.restored += restored
    after.not_restored += kept.length
  } while (!(await context.shouldPause()))
  await work.finish()
  await saveProgress(context, isAll ? { ...after, state: 'undone' } : after)
  return !isAll
}

/** @throws ApiError when what the action needs is gone */
async function workOf(context: CommandContext, row: BulkActionRow): Promise<BulkWork<Note>> {
  // If the list is deleted, it has no subscribers.
  await localListById(context.db, row.organization_id, row.mailing_list_id, 'subscribers')
  const settings = settingsOf(row)
  if (row.state === 'running' && (settings.kind === 'delete' || settings.kind === 'move')) {
    await refuseWhereKept(context)
  }
  switch (settings.kind) {
    case 'set_status':
      return settingStatus(context, row, settings)
    case 'set_field':
      return settingField(context, row, settings)
    case 'copy':
      return copying(context, row)
    case 'move':
      return moving(context, row)
    case 'suppress':
      return suppressing(context, row)
    case 'correct_domains':
      return correctingDomains(context, row, settings)
    case 'delete':
      return deleting(context, row)
  }
}

/**
 * Replaces the notes of a step.
 * @param next those that the undo has not reached
 * @param left those that could not be restored; undoing can be tried again once the cause is gone
 */
async function replaceNotes(
  { db }: CommandContext,
  {
    id,
    bulk_action_id,
    written_at
  }: Pick<Selectable<BulkActionChangesTable>, 'id' | 'bulk_action_id' | 'written_at'>,
  next: Note[],
  left: Note[]
): Promise<void> {
  await db.deleteFrom('bulk_action_changes').where('id', '=', id).execute()
  const rows = [
    { is_tried: 0, notes: next },
    { is_tried: 1, notes: left }
  ].filter(({ notes }) => notes.length > 0)
  for (const [index, { is_tried, notes }] of rows.entries()) {
    await db
      .insertInto('bulk_action_changes')
      // The first row keeps the id of the step, so that a later undo still goes through the steps in reverse
      // order.
      .values({
        ...(index === 0 && { id }),
        bulk_action_id,
        written_at,
        is_tried,
        notes: await packJson(notes)
      })
      .execute()
  }
}

async function note(context: CommandContext, { id }: BulkActionRow, notes: Note[]): Promise<void> {
  if (notes.length === 0) return
  await context.db
    .insertInto('bulk_action_changes')
    .values({ bulk_action_id: id, written_at: context.now, notes: await packJson(notes) })
    .execute()
}

async function keep(
  context: CommandContext,
  { id }: BulkActionRow,
  isUndo: boolean,
  kept: readonly Kept[]
): Promise<void> {
  if (kept.length === 0) return
  await context.db
    .insertInto('bulk_action_kept')
    .values(
      kept.map(({ id: subscriberId, email, reason, detail = null }) => ({
        bulk_action_id: id,
        is_undo: Number(isUndo),
        subscriber_id: subscriberId,
        email,
        reason,
        detail
      }))
    )
    .execute()
}

function end(
  context: CommandContext,
  row: BulkActionRow,
  state: 'finished' | 'cancelled' | 'failed',
  fault: Refusal | null = null
): Promise<void> {
  return saveProgress(context, {
    ...row,
    state,
    error_message: fault && storeRefusal(fault),
    finished_at: row.finished_at ?? context.now,
    selection_id: null
  })
}

/** Rows that are removed at once. */
const forgottenAtOnce = 500

/**
 * Deletes some of the undo data and skipped subscribers of an action that ended days ago.
 * @returns true if there is more
 */
const deleteBulkActionData = inBackground<{ id: number }, boolean>(async ({ db, now }, { id }) => {
  const changes = await db
    .deleteFrom('bulk_action_changes')
    .where('id', 'in', (select) =>
      select
        .selectFrom('bulk_action_changes')
        .select('id')
        .where('bulk_action_id', '=', id)
        .limit(forgottenAtOnce)
    )
    .executeTakeFirst()
  const kept = await db
    .deleteFrom('bulk_action_kept')
    .where('bulk_action_id', '=', id)
    .where((where) =>
      where(
        where.refTuple('is_undo', 'subscriber_id'),
        'in',
        where
          .selectFrom('bulk_action_kept')
          .select(['is_undo', 'subscriber_id'])
          .where('bulk_action_id', '=', id)
          .limit(forgottenAtOnce)
          .$asTuple('is_undo', 'subscriber_id')
      )
    )
    .executeTakeFirst()
  await db.updateTable('bulk_actions').set({ forgotten_at: now }).where('id', '=', id).execute()
  return [changes, kept].some(({ numDeletedRows }) => numDeletedRows === BigInt(forgottenAtOnce))
})

/**
 * Forgets some of the people on no list who were noted before a time (UNIX milliseconds), unless an action from before they were
 * noted can still be undone, and so bring them back.
 * @returns whether there may be more
 */
const deleteAbsent = inBackground<{ before: number }, boolean>(async ({ db }, { before }) => {
  const { oldest } = await db
    .selectFrom('bulk_actions')
    .select((select) => select.fn.min<number | null>('created_at').as('oldest'))
    .where('forgotten_at', 'is', null)
    .executeTakeFirstOrThrow()
  const { numDeletedRows } = await db
    .deleteFrom('absent_subscribers')
    .where('subscriber_id', 'in', (query) =>
      query
        .selectFrom('absent_subscribers')
        .select('subscriber_id')
        .where('at', '<', Math.min(before, oldest ?? before))
        .limit(forgottenAtOnce)
    )
    .executeTakeFirstOrThrow()
  return numDeletedRows === BigInt(forgottenAtOnce)
})

function unfinishedAction(context: CommandContext, id: number): Promise<BulkActionRow | undefined> {
  return context.db
    .selectFrom('bulk_actions')
    .selectAll()
    .where('id', '=', id)
    .where('state', 'in', ['running', 'undoing'])
    .executeTakeFirst()
}

async function saveProgress(context: CommandContext, row: BulkActionRow): Promise<void> {
  const { id, organization_id, mailing_list_id, ...progress } = row
  await context.db
    .updateTable('bulk_actions')
    .set({
      state: progress.state,
      error_message: progress.error_message,
      selection_id: progress.selection_id,
      after_id: progress.after_id,
      done: progress.done,
      changed: progress.changed,
      same: progress.same,
      kept: progress.kept,
      undo_done: progress.undo_done,
      restored: progress.restored,
      not_restored: progress.not_restored,
      finished_at: progress.finished_at
    })
    .where('id', '=', id)
    .execute()
  recordRow(context, 'bulk_action', 'update', { id, organization_id, mailing_list_id })
}

export const bulkActionCommands = {
  storeSelection,
  deleteSelection,
  create: createBulkAction,
  cancel: cancelBulkAction,
  fail: failBulkAction,
  undo: undoBulkAction,
  continue: continueBulkAction,
  forget: deleteBulkActionData,
  deleteAbsent
}

declare module '../database/command.ts' {
  interface CommandRegistry {
    bulkActions: typeof bulkActionCommands
  }
}
