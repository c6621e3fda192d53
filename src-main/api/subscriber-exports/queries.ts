import { presentStored } from '../../base/stored-refusal.ts'
import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { SubscriberExportsTable } from './tables.ts'
import { notFound } from '../../base/errors.ts'
import { formatOptionalTime, formatTime } from '../../base/times.ts'
import { nextSelected } from '../bulk-actions/queries.ts'
import { membersOf, type SegmentScope } from '../segments/queries.ts'
import type { SettledCondition } from '../segments/settled.ts'
import { type ImportColumn, importColumns } from '../subscriber-imports/rules.ts'
import type { SubscriberRow } from '../subscribers/queries.ts'
import { type SubscriberStatus, subscriberStatuses } from '../subscribers/schema.ts'
import type { ExportSettings, SubscriberExport } from './schema.ts'
import { type Page, pageOf } from '../../http/pagination.ts'

export type ExportRow = Selectable<SubscriberExportsTable> & { mailing_list_name: string }

export const unfinishedExportStates = ['idle', 'estimating', 'exporting', 'paused'] as const
/** States in which a thread works on an export, or soon will. */
export const runningExportStates = ['idle', 'estimating', 'exporting'] as const

/** @throws ApiError not_found */
export async function exportRow(db: Kysely<Schema>, organizationId: number, id: number): Promise<ExportRow> {
  const row = await exportsOf(db, organizationId).where('subscriber_exports.id', '=', id).executeTakeFirst()
  if (!row) throw notFound('subscriber export', id)
  return row
}

function exportsOf(db: Kysely<Schema>, organizationId: number) {
  return db
    .selectFrom('subscriber_exports')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'subscriber_exports.mailing_list_id')
    .selectAll('subscriber_exports')
    .select('mailing_lists.name as mailing_list_name')
    .where('subscriber_exports.organization_id', '=', organizationId)
}

/**
 * Newest first.
 * @param mailingListId null = all lists of the organization
 */
export async function exportPage(
  db: Kysely<Schema>,
  organizationId: number,
  mailingListId: number | null,
  page: Page
): Promise<{ rows: ExportRow[]; total: number }> {
  let query = exportsOf(db, organizationId)
  if (mailingListId !== null) query = query.where('mailing_list_id', '=', mailingListId)
  return pageOf(query.orderBy('subscriber_exports.id', 'desc'), page)
}

/** Returns the exports that a thread should run, oldest first. */
export function exportsToRun(db: Kysely<Schema>): Promise<{ id: number }[]> {
  return db
    .selectFrom('subscriber_exports')
    .select('id')
    .where('finished_at', 'is', null)
    .where('state', '!=', 'paused')
    .orderBy('id')
    .execute()
}

/** Counts the subscribers of a list with one of these statuses, from the stored counters. */
export async function countWithStatuses(
  db: Kysely<Schema>,
  mailingListId: number,
  statuses: readonly SubscriberStatus[]
): Promise<number> {
  const row = await db
    .selectFrom('mailing_list_counts')
    .select((select) => select.fn.sum<number | null>('subscribers').as('total'))
    .where('mailing_list_id', '=', mailingListId)
    .where('status', 'in', [...statuses])
    .executeTakeFirstOrThrow()
  return row.total ?? 0
}

const exportedColumns = [
  'subscribers.id',
  ...importColumns.map((column) => `subscribers.${column}` as const),
  'subscribers.custom_fields'
] as const

export type RowToExport = Pick<SubscriberRow, 'id' | ImportColumn | 'custom_fields'>

/** Returns up to `limit` subscribers of a segment with these statuses and an id above `afterId`, by id. */
export function subscribersToExport(
  db: Kysely<Schema>,
  { mailingListId, clause }: SegmentScope,
  statuses: readonly SubscriberStatus[],
  afterId: number,
  limit: number
): Promise<RowToExport[]> {
  return membersOf(db, mailingListId, clause)
    .select(exportedColumns)
    .where('subscribers.id', '>', afterId)
    .$if(new Set(statuses).size < subscriberStatuses.length, (members) =>
      members.where('subscribers.status', 'in', [...statuses])
    )
    .orderBy('subscribers.id')
    .limit(limit)
    .execute()
}

/**
 * Returns up to some hundred subscribers of a selection with an id above `afterId`, by id; `lastId` is null
 * at the end.
 */
export async function selectedToExport(
  db: Kysely<Schema>,
  { selectionId, mailingListId }: { selectionId: number; mailingListId: number },
  statuses: readonly SubscriberStatus[],
  afterId: number
): Promise<{ rows: RowToExport[]; lastId: number | null }> {
  const ids = await nextSelected(db, selectionId, afterId)
  if (ids.length === 0) return { rows: [], lastId: null }
  const rows = await db
    .selectFrom('subscribers')
    .select(exportedColumns)
    .where('id', 'in', ids)
    .where('mailing_list_id', '=', mailingListId)
    .where('status', 'in', [...statuses])
    .orderBy('id')
    .execute()
  return { rows, lastId: ids.at(-1) ?? null }
}

/** The settings of an export, with the segment as it was when requested. */
export type StoredExportSettings = ExportSettings & { clause: SettledCondition[] }

/** Exports from before segments existed have none. */
export function settingsOf({ settings }: Pick<ExportRow, 'settings'>): StoredExportSettings {
  const stored = JSON.parse(settings) as Omit<StoredExportSettings, 'segment_id' | 'clause'>
  return { segment_id: null, clause: [], ...stored }
}

export function presentExport(row: ExportRow, timeZone: string): SubscriberExport {
  return {
    id: row.id,
    mailing_list_id: row.mailing_list_id,
    mailing_list_name: row.mailing_list_name,
    created_at: formatTime(row.created_at, timeZone),
    started_at: formatOptionalTime(row.started_at, timeZone),
    finished_at: formatOptionalTime(row.finished_at, timeZone),
    state: row.state,
    ...presentStored(row.error_message),
    ...settingsOf(row),
    stats: { number_of_records: row.number_of_records, records_exported: row.records_exported }
  }
}

/** Finished exports that ended before a time (UNIX milliseconds) and still have files. */
export function exportsWithOldFiles(db: Kysely<Schema>, finishedBefore: number): Promise<{ id: number }[]> {
  return db
    .selectFrom('subscriber_exports')
    .select('id')
    .where('finished_at', '<', finishedBefore)
    .where('file_removed_at', 'is', null)
    .execute()
}
