import type { Kysely, Selectable } from 'kysely'
import { notFound } from '../../base/errors.ts'
import type { StoredRefusal } from '../../base/stored-refusal.ts'
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

/** Returns the repeated imports of an organization whose last attempt failed. */
export function listFailingSchedules(db: Kysely<Schema>, organizationId: number) {
  return db
    .selectFrom('import_schedules')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_id')
    .select(['import_schedules.id', 'mailing_list_id', 'mailing_lists.name as mailing_list_name', 'fault'])
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .where('is_enabled', '=', 1)
    .where('fault', 'is not', null)
    .$narrowType<{ fault: StoredRefusal }>()
    .orderBy('import_schedules.id')
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
