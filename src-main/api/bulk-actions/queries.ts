import { presentStored } from '../../base/stored-refusal.ts'
import { type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely'
import { notFound } from '../../base/errors.ts'
import { formatOptionalTime, formatTime } from '../../base/times.ts'
import type { Schema } from '../../database/schema.ts'
import { type Page, pageOf } from '../../http/pagination.ts'
import { type BulkActionSettings, undoTime } from './rules.ts'
import type { BulkAction } from './schema.ts'
import { unpackIds } from './selected-ids.ts'
import type { BulkActionKeptTable, BulkActionsTable, SelectionsTable } from './tables.ts'

export type BulkActionRow = Selectable<BulkActionsTable>
export type SelectionRow = Selectable<SelectionsTable>
type NamedRow = BulkActionRow & { mailing_list_name: string; list_deleted_at: number | null }

/** @throws ApiError not_found */
export async function bulkActionRow(
  db: Kysely<Schema>,
  organizationId: number,
  id: number
): Promise<NamedRow> {
  const row = await actionsOf(db, organizationId).where('bulk_actions.id', '=', id).executeTakeFirst()
  if (!row) throw notFound('bulk action', id)
  return row
}

function actionsOf(db: Kysely<Schema>, organizationId: number) {
  return db
    .selectFrom('bulk_actions')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'bulk_actions.mailing_list_id')
    .selectAll('bulk_actions')
    .select(['mailing_lists.name as mailing_list_name', 'mailing_lists.deleted_at as list_deleted_at'])
    .where('bulk_actions.organization_id', '=', organizationId)
}

/**
 * Returns a page of bulk actions, newest first.
 * @param mailingListId null = all lists of the organization
 */
export async function bulkActionPage(
  db: Kysely<Schema>,
  organizationId: number,
  mailingListId: number | null,
  page: Page
): Promise<{ rows: NamedRow[]; total: number }> {
  let query = actionsOf(db, organizationId)
  if (mailingListId !== null) query = query.where('mailing_list_id', '=', mailingListId)
  return pageOf(query.orderBy('bulk_actions.id', 'desc'), page)
}

/** Returns the first action with work or undo work left. */
export function nextBulkAction(db: Kysely<Schema>): Promise<{ id: number } | undefined> {
  return db
    .selectFrom('bulk_actions')
    .select('id')
    .where('state', 'in', ['running', 'undoing'])
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** Returns an unfinished action that reads or writes the subscribers of a list. */
export function bulkActionOn(db: Kysely<Schema>, mailingListId: number): Promise<{ id: number } | undefined> {
  return db
    .selectFrom('bulk_actions')
    .select('id')
    .where('state', 'in', ['running', 'undoing'])
    .where((where) =>
      where.or([
        where('mailing_list_id', '=', mailingListId),
        where.and([
          where('target_id', '=', mailingListId),
          where(sql`json_extract(settings, '$.kind')`, 'in', ['copy', 'move'])
        ])
      ])
    )
    .executeTakeFirst()
}

export function settingsOf({ settings }: Pick<BulkActionRow, 'settings'>): BulkActionSettings {
  return JSON.parse(settings) as BulkActionSettings
}

/** True if undoing the action would change something. */
export function canBeUndone(row: NamedRow): boolean {
  if (row.forgotten_at !== null || row.list_deleted_at !== null) return false
  if (row.state === 'undone') return row.not_restored > 0
  return ['finished', 'cancelled', 'failed'].includes(row.state) && row.changed > 0
}

export function presentBulkAction(row: NamedRow, timeZone: string): BulkAction {
  const settings = settingsOf(row)
  const canUndo = canBeUndone(row)
  return {
    id: row.id,
    mailing_list_id: row.mailing_list_id,
    mailing_list_name: row.mailing_list_name,
    kind: settings.kind,
    status: 'status' in settings ? settings.status : null,
    name: 'name' in settings ? settings.name : null,
    mode: 'mode' in settings ? settings.mode : null,
    value: 'shown' in settings ? settings.shown : null,
    description: row.description,
    state: row.state,
    ...presentStored(row.error_message),
    total: row.total,
    done: row.done,
    changed: row.changed,
    same: row.same,
    kept: row.kept,
    gone: row.done - row.changed - row.same - row.kept,
    undo_done: row.undo_done,
    restored: row.restored,
    not_restored: row.not_restored,
    can_be_undone: canUndo,
    undo_until: canUndo && row.finished_at !== null ? formatTime(row.finished_at + undoTime, timeZone) : null,
    created_at: formatTime(row.created_at, timeZone),
    finished_at: formatOptionalTime(row.finished_at, timeZone)
  }
}

/** Returns the subscribers that an action skipped, by id; with `isUndo` those that its undo skipped. */
export function keptByBulkAction(
  db: Kysely<Schema>,
  { id, isUndo }: { id: number; isUndo: boolean },
  afterId: number,
  limit: number
): Promise<Selectable<BulkActionKeptTable>[]> {
  return db
    .selectFrom('bulk_action_kept')
    .selectAll()
    .where('bulk_action_id', '=', id)
    .where('is_undo', '=', Number(isUndo))
    .where('subscriber_id', '>', afterId)
    .orderBy('subscriber_id')
    .limit(limit)
    .execute()
}

/** Returns actions that ended before a time (UNIX milliseconds) and still have undo data. */
export function bulkActionsToForget(db: Kysely<Schema>, endedBefore: number): Promise<{ id: number }[]> {
  return db
    .selectFrom('bulk_actions')
    .select('id')
    .where('finished_at', '<', endedBefore)
    .where('state', '!=', 'undoing')
    .where((where) =>
      where.or([
        where('forgotten_at', 'is', null),
        ...(['bulk_action_changes', 'bulk_action_kept'] as const).map((table) =>
          where.exists(
            where
              .selectFrom(table)
              .select('bulk_action_id')
              .whereRef('bulk_action_id', '=', 'bulk_actions.id')
          )
        )
      ])
    )
    .execute()
}

/**
 * Returns this user's selection of a list.
 * @throws ApiError not_found
 */
export async function selectionRow(
  db: Kysely<Schema>,
  owner: { organizationId: number; userId: number },
  id: number
): Promise<SelectionRow> {
  const row = await db
    .selectFrom('selections')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', owner.organizationId)
    .where('user_id', '=', owner.userId)
    .executeTakeFirst()
  if (!row) throw notFound('selection', id)
  return row
}

/** Returns the next ids of a selection; empty at the end. */
export async function nextSelected(
  db: Kysely<Schema>,
  selectionId: number,
  afterId: number
): Promise<number[]> {
  const part = await db
    .selectFrom('selected_subscribers')
    .select('ids')
    .where('selection_id', '=', selectionId)
    .where('last_id', '>', afterId)
    .orderBy('last_id')
    .limit(1)
    .executeTakeFirst()
  return part ? unpackIds(part.ids).filter((id) => id > afterId) : []
}

/** True if neither an action nor an export needs a selection. */
export function isUnused(where: ExpressionBuilder<Schema, 'selections'>) {
  const neededByActions = where
    .selectFrom('bulk_actions')
    .select('selection_id')
    .where('selection_id', 'is not', null)
  const neededByExports = where
    .selectFrom('subscriber_exports')
    .select('selection_id')
    .where('selection_id', 'is not', null)
    .where('finished_at', 'is', null)
  return where.and([
    where('selections.id', 'not in', neededByActions),
    where('selections.id', 'not in', neededByExports)
  ])
}

/** Returns unused selections from before a time (UNIX milliseconds). */
export function unusedSelections(db: Kysely<Schema>, before: number): Promise<{ id: number }[]> {
  return db.selectFrom('selections').select('id').where('created_at', '<', before).where(isUnused).execute()
}
