import { presentStored } from '../../base/stored-refusal.ts'
import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { SubscriberImportsTable } from './tables.ts'
import { notFound } from '../../base/errors.ts'
import { formatOptionalTime, formatTime } from '../../base/times.ts'
import { unfinishedStates } from './rules.ts'
import type {
  ImportCounts,
  importScopes,
  ImportSettings,
  SubscriberImport,
  SubscriberImportSummary
} from './schema.ts'
import { type Page, pageOf } from '../../http/pagination.ts'

export type ImportRow = Selectable<SubscriberImportsTable>
type NamedImportRow = ImportRow & { mailing_list_name: string }
export type ImportScope = (typeof importScopes)[number]

/** Settings for applying rows, and the autoresponders to trigger. */
export type StoredSettings = ImportSettings & Pick<SubscriberImport, 'autoresponders'>

/** @throws ApiError not_found */
export async function importRow(
  db: Kysely<Schema>,
  organizationId: number,
  id: number
): Promise<NamedImportRow> {
  const row = await imports(db, organizationId).where('subscriber_imports.id', '=', id).executeTakeFirst()
  if (!row) throw notFound('subscriber import', id)
  return row
}

function imports(db: Kysely<Schema>, organizationId: number) {
  return db
    .selectFrom('subscriber_imports')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'subscriber_imports.mailing_list_id')
    .selectAll('subscriber_imports')
    .select('mailing_lists.name as mailing_list_name')
    .where('subscriber_imports.organization_id', '=', organizationId)
}

/** Finished imports of the last two weeks are recent (docs/api.md, "Subscriber imports"). */
const recentTime = 14 * 24 * 60 * 60 * 1000

/**
 * Unfinished imports first, by begins_at, then ended ones, latest first.
 * @param mailingListId null = all lists of the organization
 */
export async function importPage(
  db: Kysely<Schema>,
  filter: { organizationId: number; mailingListId: number | null; scope: ImportScope; now: number },
  page: Page
): Promise<{ rows: NamedImportRow[]; total: number }> {
  let query = imports(db, filter.organizationId)
  if (filter.mailingListId !== null) {
    query = query.where('subscriber_imports.mailing_list_id', '=', filter.mailingListId)
  }
  if (filter.scope === 'active') query = query.where('state', 'in', unfinishedStates)
  if (filter.scope === 'finished') query = query.where('state', 'not in', unfinishedStates)
  if (filter.scope === 'recent') {
    query = query.where((where) =>
      where.or([where('finished_at', 'is', null), where('finished_at', '>=', filter.now - recentTime)])
    )
  }
  return pageOf(
    query
      .orderBy((order) => order('finished_at', 'is not', null))
      .orderBy((order) => order.case().when('finished_at', 'is', null).then(order.ref('begins_at')).end())
      .orderBy('finished_at', 'desc')
      .orderBy('subscriber_imports.id', 'desc'),
    page
  )
}

/** Returns the imports that a thread should run, in due order. */
export function unfinishedImports(db: Kysely<Schema>): Promise<ImportRow[]> {
  return db
    .selectFrom('subscriber_imports')
    .selectAll()
    .where('finished_at', 'is', null)
    .where('state', '!=', 'paused')
    .orderBy('begins_at')
    .orderBy('id')
    .execute()
}

export function pausedImports(db: Kysely<Schema>): Promise<ImportRow[]> {
  return db.selectFrom('subscriber_imports').selectAll().where('state', '=', 'paused').execute()
}

/** Ended imports whose logs are older than `endedBefore` and still exist. */
export function importsWithOldLogs(db: Kysely<Schema>, endedBefore: number): Promise<{ id: number }[]> {
  return db
    .selectFrom('subscriber_imports')
    .select('id')
    .where('finished_at', '<', endedBefore)
    .where('logs_purged_at', 'is', null)
    .execute()
}

/** An element of the list of imports (docs/api.md, "Subscriber imports"). */
export function presentImportSummary(row: NamedImportRow, timeZone: string): SubscriberImportSummary {
  return {
    ...presentCommon(row, timeZone),
    stats: { number_of_records: row.number_of_records, records_imported: row.records_imported }
  }
}

export function presentImport(row: NamedImportRow, timeZone: string): SubscriberImport {
  return {
    ...presentCommon(row, timeZone),
    ...(JSON.parse(row.settings) as StoredSettings),
    ...presentStored(row.error_message),
    stats: {
      number_of_records: row.number_of_records,
      records_imported: row.records_imported,
      subscribers: JSON.parse(row.counts) as ImportCounts
    }
  }
}

function presentCommon(row: NamedImportRow, timeZone: string) {
  return {
    id: row.id,
    mailing_list_id: row.mailing_list_id,
    mailing_list_name: row.mailing_list_name,
    created_at: formatTime(row.created_at, timeZone),
    begins_at: formatTime(row.begins_at, timeZone),
    finished_at: formatOptionalTime(row.finished_at, timeZone),
    state: row.state,
    file_source: {
      type: row.source_type,
      filename: row.source_url === null ? row.source_filename : null,
      url: row.source_url
    }
  }
}

/** True if a running import has read the definition of a field and continues with it. */
export async function isBeingImported(
  db: Kysely<Schema>,
  { organizationId, mailingListId }: { organizationId: number; mailingListId: number | null }
): Promise<boolean> {
  const row = await db
    .selectFrom('subscriber_imports')
    .select('id')
    .where('state', 'in', ['splitting', 'importing'])
    .where('organization_id', '=', organizationId)
    .$if(mailingListId !== null, (query) => query.where('mailing_list_id', '=', mailingListId))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
