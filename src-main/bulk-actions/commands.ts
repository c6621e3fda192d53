import type { SelectedPart } from '../api/bulk-actions/selected-ids.ts'
import {
  bulkActionRow,
  type BulkActionRow,
  canBeUndone,
  nextSelected,
  selectionRow,
  settingsOf
} from '../api/bulk-actions/queries.ts'
import { type BulkActionSettings, undoDays } from '../api/bulk-actions/rules.ts'
import type { BulkActionInput } from '../api/bulk-actions/schema.ts'
import { localListById } from '../api/mailing-lists/queries.ts'
import { refuseWhileRekeying } from '../api/mailing-lists/rekey-commands.ts'
import { validationFailed } from '../base/errors.ts'
import { packJson, unpackJson } from '../base/packed-json.ts'
import { type Command, type CommandContext, inBackground, recordRow } from '../database/command.ts'
import { currentSettings } from '../settings/queries.ts'
import { copying } from './kinds/copy.ts'
import { deleting } from './kinds/delete.ts'
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
  /** Whom, in words. */
  description: string
  subscribers: number
  parts: SelectedPart[]
}

/** Writes down whom somebody has chosen. @returns the selection's id */
const keepSelection: Command<SelectionInput, number> = async (context, input) => {
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

/** Removes a selection that nothing needs any more. */
const dropSelection: Command<{ id: number }, void> = async (context, { id }) => {
  await context.db.deleteFrom('selections').where('id', '=', id).execute()
}

interface CreateInput extends Owner {
  selectionId: number
  action: BulkActionInput
}

/**
 * Begins to do something to all subscribers of a selection.
 * @returns the action's id
 * @throws ApiError validation_failed for what cannot be done to them, not_found for a selection that somebody else made
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
  if (removes && (await currentSettings(context.db)).service_disable_subscriber_deletion) {
    throw validationFailed('subscribers cannot be deleted: service_disable_subscriber_deletion is on')
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
    throw validationFailed(`a bulk action that is ${row.state} cannot be cancelled`)
  await end(context, row, 'cancelled')
}

/** Notes why an action cannot go on. */
const failBulkAction: Command<{ id: number; message: string }, void> = async (context, { id, message }) => {
  const row = await unfinishedAction(context, id)
  if (row) await end(context, row, 'failed', message)
}

/** Begins to take back what an action did. @throws ApiError validation_failed when it cannot be undone (any more) */
const undoBulkAction: Command<Named, void> = async (context, { organizationId, id }) => {
  const row = await bulkActionRow(context.db, organizationId, id)
  await localListById(context.db, organizationId, row.mailing_list_id, 'subscribers')
  if (row.forgotten_at !== null) {
    throw validationFailed(`a bulk action can be undone for ${undoDays} days, and this one ended before that`)
  }
  if (!canBeUndone(row)) throw validationFailed(`a bulk action that is ${row.state} cannot be undone`)
  const settings = settingsOf(row)
  await refuseWhileImpossible(context, row, settings, settings.kind === 'copy' || settings.kind === 'move')
  await saveProgress(context, { ...row, state: 'undoing', error_message: null })
}

/** Does the next part of an action, or of its undoing. @returns whether there may be more */
const continueBulkAction = inBackground<{ id: number }, boolean>(async (context, { id }) => {
  const row = await unfinishedAction(context, id)
  if (!row) return false
  return row.state === 'undoing' ? takeBackNext(context, row) : applyNext(context, row)
})

async function applyNext(context: CommandContext, row: BulkActionRow): Promise<boolean> {
  const work = await workOf(context, row)
  const after = { ...row }
  let isAll: boolean
  do {
    const ids = await nextSelected(context.db, row.selection_id ?? 0, after.after_id)
    isAll = ids.length === 0
    if (isAll) break
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

async function takeBackNext(context: CommandContext, row: BulkActionRow): Promise<boolean> {
  const work = await workOf(context, row)
  const after = { ...row }
  let isAll: boolean
  do {
    // What was written last goes first.
    const written = await context.db
      .selectFrom('bulk_action_changes')
      .selectAll()
      .where('bulk_action_id', '=', row.id)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    isAll = !written
    if (!written) break
    const notes = (await unpackJson(written.notes)) as Note[]
    const { restored, kept } = await work.takeBack(notes, written.written_at)
    await keep(context, row, true, kept)
    await context.db.deleteFrom('bulk_action_changes').where('id', '=', written.id).execute()
    after.undo_done += notes.length
    after.restored += restored
    after.not_restored += kept.length
  } while (!(await context.shouldPause()))
  await work.finish()
  await saveProgress(context, isAll ? { ...after, state: 'undone' } : after)
  return !isAll
}

/** @throws ApiError when what the action needs is gone */
async function workOf(context: CommandContext, row: BulkActionRow): Promise<BulkWork> {
  // A list that was deleted has nobody on it any more.
  await localListById(context.db, row.organization_id, row.mailing_list_id, 'subscribers')
  const settings = settingsOf(row)
  switch (settings.kind) {
    case 'set_status':
      return settingStatus(context, row, settings)
    case 'set_field':
      return settingField(context, row, settings)
    case 'copy':
    case 'move':
      return copying(context, row, settings.kind)
    case 'suppress':
      return suppressing(context, row)
    case 'delete':
      return deleting(context, row)
  }
}

/** Notes what undoing needs of one step. */
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

/** Ends an action, or with 'failed' its undoing too. Its selection is left to the retention rules. */
function end(
  context: CommandContext,
  row: BulkActionRow,
  state: 'finished' | 'cancelled' | 'failed',
  errorMessage: string | null = null
): Promise<void> {
  return saveProgress(context, {
    ...row,
    state,
    error_message: errorMessage,
    finished_at: row.finished_at ?? context.now,
    selection_id: null
  })
}

/** Removes what undoing an action needs, some days after its end. Whom it left, and why, goes too. */
const forgetBulkAction: Command<{ id: number }, void> = async (context, { id }) => {
  for (const table of ['bulk_action_changes', 'bulk_action_kept'] as const) {
    await context.db.deleteFrom(table).where('bulk_action_id', '=', id).execute()
  }
  await context.db
    .updateTable('bulk_actions')
    .set({ forgotten_at: context.now })
    .where('id', '=', id)
    .execute()
}

function unfinishedAction(context: CommandContext, id: number): Promise<BulkActionRow | undefined> {
  return context.db
    .selectFrom('bulk_actions')
    .selectAll()
    .where('id', '=', id)
    .where('state', 'in', ['running', 'undoing'])
    .executeTakeFirst()
}

/** Writes down how far an action is, and tells whoever follows it. */
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
  keepSelection,
  dropSelection,
  create: createBulkAction,
  cancel: cancelBulkAction,
  fail: failBulkAction,
  undo: undoBulkAction,
  continue: continueBulkAction,
  forget: forgetBulkAction
}

declare module '../database/command.ts' {
  interface CommandRegistry {
    bulkActions: typeof bulkActionCommands
  }
}
