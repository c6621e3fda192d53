import type { Kysely, Selectable } from 'kysely'
import { notFound } from '../../base/errors.ts'
import type { Schema } from '../../database/schema.ts'
import type { ImportSchedulesTable } from './tables.ts'

export type ImportScheduleRow = Selectable<ImportSchedulesTable>

/** By id. */
export function listImportSchedules(db: Kysely<Schema>, mailingListId: number): Promise<ImportScheduleRow[]> {
  return db
    .selectFrom('import_schedules')
    .selectAll()
    .where('mailing_list_id', '=', mailingListId)
    .orderBy('id')
    .execute()
}

/** @throws ApiError not_found */
export async function importScheduleById(
  db: Kysely<Schema>,
  organizationId: number,
  id: number
): Promise<ImportScheduleRow> {
  const row = await db
    .selectFrom('import_schedules')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_id')
    .selectAll('import_schedules')
    .where('import_schedules.id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) throw notFound('repeated import', id)
  return row
}
