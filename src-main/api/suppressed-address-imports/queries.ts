import { presentStored } from '../../base/stored-refusal.ts'
import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { SuppressedAddressImportsTable } from './tables.ts'
import { notFound } from '../../base/errors.ts'
import { formatOptionalTime, formatTime } from '../../base/times.ts'
import type { SuppressedAddressImport } from './schema.ts'

export type SuppressedAddressImportRow = Selectable<SuppressedAddressImportsTable>

/** States in which a thread works, or is about to work, on an import. */
export const runningStates = ['scheduled', 'splitting', 'importing'] as const

/** @throws ApiError not_found */
export async function suppressedAddressImportById(
  db: Kysely<Schema>,
  organizationId: number,
  id: number
): Promise<SuppressedAddressImportRow> {
  const row = await db
    .selectFrom('suppressed_address_imports')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  if (!row) throw notFound('suppressed address import', id)
  return row
}

const maxShown = 20

export function suppressedAddressImportsOf(
  db: Kysely<Schema>,
  suppressionListId: number
): Promise<SuppressedAddressImportRow[]> {
  return db
    .selectFrom('suppressed_address_imports')
    .selectAll()
    .where('suppression_list_id', '=', suppressionListId)
    .orderBy('id', 'desc')
    .limit(maxShown)
    .execute()
}

/** Returns the imports that a thread should run, oldest first. */
export function suppressedAddressImportsToRun(db: Kysely<Schema>): Promise<{ id: number }[]> {
  return db
    .selectFrom('suppressed_address_imports')
    .select('id')
    .where('finished_at', 'is', null)
    .where('state', '!=', 'paused')
    .orderBy('id')
    .execute()
}

export function presentSuppressedAddressImport(
  row: SuppressedAddressImportRow,
  timeZone: string
): SuppressedAddressImport {
  return {
    id: row.id,
    suppression_list_id: row.suppression_list_id,
    filename: row.source_filename,
    state: row.state,
    ...presentStored(row.error_message),
    number_of_records: row.number_of_records,
    records_read: row.records_read,
    addresses_added: row.addresses_added,
    records_skipped: row.records_skipped,
    created_at: formatTime(row.created_at, timeZone),
    finished_at: formatOptionalTime(row.finished_at, timeZone)
  }
}
