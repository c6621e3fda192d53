import { undoObstacle } from '../api/bulk-actions/rules.ts'
import { mailingListById } from '../api/mailing-lists/queries.ts'
import { notFound, validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { type Command, type CommandContext, inBackground, recordOne } from '../database/command.ts'
import {
  brokenReferences,
  isAsEdited,
  leaveOut,
  putBack,
  type RecordEdit,
  recordEdit,
  type RecordRows,
  rowsOf,
  revertEdit
} from '../database/record-rows.ts'
import { recordRules, type RecordScope } from './record-rules.ts'
import { revertSettings } from './settings-undo.ts'
import { flags, told } from './told-columns.ts'
import {
  isUndoableChange,
  type UndoableChange,
  undoableEntities,
  type UndoableEntity
} from '../api/record-kinds.ts'
import type { KeptChange } from './rules.ts'

interface UndoInput {
  organizationId: number
  /** The entry of the change log. */
  changeId: number
}

/** A record that is what it was before. */
export interface UndoneChange {
  entity: UndoableChange
  id: number
  mailingListId: number | null
  /** References that no longer exist, by the cleared columns or part tables. */
  leftOut: string[]
}

/**
 * Reverts an edit of a record, or restores a deleted one under its id.
 * @throws ApiError not_found; validation_failed with a sentence if it cannot be undone (any more)
 */
const undoRecordChange: Command<UndoInput, UndoneChange> = async (context, { organizationId, changeId }) => {
  const change = await context.db
    .selectFrom('change_log')
    .selectAll()
    .where('id', '=', changeId)
    .where('organization_id', '=', organizationId)
    .whereRef('first_id', '=', 'last_id')
    .executeTakeFirst()
  if (!change || !isUndoableChange(change.entity)) throw notFound('change', changeId)
  const reason = undoObstacle(change, context.clock)
  if (reason !== null) throw validationFailed(reason)
  if (change.entity === 'settings') {
    await revertSettings(context, organizationId, change.details)
    return { entity: 'settings', id: change.first_id, mailingListId: null, leftOut: [] }
  }
  const { edited, deleted } = JSON.parse(change.details ?? '{}') as KeptChange
  const { entity, first_id: id, mailing_list_id: mailingListId } = change
  const scope = { organizationId, mailingListId, id }
  if (mailingListId !== null && entity !== 'mailing_list' && !recordRules[entity].outlivesList) {
    await mailingListById(context.db, organizationId, mailingListId)
  }
  const leftOut = await namingDuplicates(entity, async () => {
    if (edited) return takeBack(context, entity, scope, edited)
    if (deleted) return bringBack(context, entity, scope, deleted)
    throw validationFailed(refusal('change_unknown'))
  })
  return { entity, id, mailingListId, leftOut }
}

async function takeBack(
  context: CommandContext,
  entity: UndoableEntity,
  scope: RecordScope,
  edit: RecordEdit
): Promise<string[]> {
  const { tables, mayUndo, settle } = recordRules[entity]
  const rows = rowsOf(context.sqlite, tables, scope.id)
  if (!rows || isGone(rows)) throw notFound(entity, scope.id)
  if (!isAsEdited(rows, edit)) {
    throw validationFailed(refusal('changed_again'))
  }
  await mayUndo?.(context, scope, edit)
  await recordEdit(context, tables, scope, scope.id, async () => {
    revertEdit(context, tables, scope.id, edit)
    if (brokenReferences(context, tables, scope.id).length > 0) {
      throw validationFailed(refusal('undo_needs_deleted'))
    }
    await settle?.(context, scope, edit)
  })
  return []
}

async function bringBack(
  context: CommandContext,
  entity: UndoableEntity,
  scope: RecordScope,
  kept: RecordRows
): Promise<string[]> {
  const { tables, mayRestore, settle } = recordRules[entity]
  const rows = rowsOf(context.sqlite, tables, scope.id)
  if (rows && !isGone(rows)) throw validationFailed(refusal('restored_already'))
  if (rows?.row['expired'] === 1) throw validationFailed(refusal('removed_for_good'))
  await mayRestore?.(context, scope)
  putBack(context, tables, kept)
  const broken = brokenReferences(context, tables, scope.id)
  for (const reference of broken) leaveOut(context, reference)
  await settle?.(context, scope, null)
  recordOne(context, entity, 'create', scope, scope.id, { restored: true })
  return [...new Set(broken.map(({ table, column }) => (table === tables.table ? column : table)))]
}

/** True if the row exists only because others refer to it. */
function isGone({ row }: RecordRows): boolean {
  return row['deleted_at'] != null || row['name'] === null
}

async function namingDuplicates<Result>(
  entity: UndoableEntity,
  work: () => Promise<Result>
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const isDuplicate = error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT_UNIQUE'
    if (!isDuplicate) throw error
    const { hasFixedName } = recordRules[entity]
    throw validationFailed(refusal(hasFixedName ? 'name_taken_delete' : 'name_taken_rename'))
  }
}

const lookedAtOnce = 200

/**
 * Deletes the rows stored in entries before a time (UNIX milliseconds), but not what the audit log shows.
 * @param after the last processed entry
 * @returns the last entry processed now; null = no more
 */
const deleteStoredRows = inBackground<{ before: number; after: number }, number | null>(
  async ({ db }, { before, after }) => {
    const some = await db
      .selectFrom('change_log')
      .select(['id', 'details'])
      .where('details', 'is not', null)
      .where('entity', 'in', [...undoableEntities])
      .where('id', '>', after)
      .where('at', '<', before)
      .orderBy('id')
      .limit(lookedAtOnce)
      .$narrowType<{ details: string }>()
      .execute()
    for (const { id, details } of some) {
      const kept = JSON.stringify(withoutRows(JSON.parse(details) as KeptChange))
      if (kept === details) continue
      await db.updateTable('change_log').set({ details: kept }).where('id', '=', id).execute()
    }
    return some.at(-1)?.id ?? null
  }
)

function withoutRows({ deleted: _deleted, edited, ...kept }: KeptChange): KeptChange {
  if (!edited) return kept
  return {
    ...kept,
    edited: {
      columns: Object.fromEntries(
        Object.entries(edited.columns).map(([name, values]) => [
          name,
          name in told || name in flags ? values : [null, null]
        ])
      ),
      parts: Object.fromEntries(Object.keys(edited.parts).map((table) => [table, [[], []]]))
    }
  }
}

/** Ends the time in which lists and campaigns can be restored that were deleted before a time (UNIX milliseconds). */
const expireDeleted: Command<{ before: number }, void> = async ({ db }, { before }) => {
  for (const table of ['mailing_lists', 'campaigns'] as const) {
    await db
      .updateTable(table)
      .set({ expired: 1 })
      .where('deleted_at', '<', before)
      .where('expired', '=', 0)
      .where('purged_at', 'is', null)
      .execute()
  }
}

export const recordUndoCommands = { undo: undoRecordChange, deleteStoredRows, expireDeleted }

declare module '../database/command.ts' {
  interface CommandRegistry {
    recordUndos: typeof recordUndoCommands
  }
}
