import type {
  databaseImportEndpoints,
  DatabaseSource,
  ImportSchedule,
  ScheduleInterval
} from '../../src-main/workbench/database-imports/endpoints.ts'
import type { Given } from '../../src-main/http/endpoint.ts'
import { ifPermitted, windowCalls } from './client.ts'

export type { DatabaseSource, ImportSchedule, ScheduleInterval }

const imports = windowCalls<typeof databaseImportEndpoints>()

/** Returns the databases that the organization may import from. */
export function fetchDatabaseSources(): Promise<DatabaseSource[]> {
  return imports.call('GET /database_sources')
}

/** Writes the rows of a query into the upload directory. */
export function uploadRows(
  source: { database_connection_id: number; query: string },
  signal: AbortSignal
): Promise<{ filename: string; rows: number }> {
  return imports.call('POST /database_uploads', { body: source, signal })
}

/** None for a user who may not import. */
export async function fetchImportSchedules(listId: number): Promise<ImportSchedule[]> {
  const params = { mailing_list_id: listId }
  return ifPermitted(imports.call('GET /mailing_lists/:mailing_list_id/import_schedules', { params }), [])
}

export function createImportSchedule(
  listId: number,
  schedule: Given<
    (typeof databaseImportEndpoints)['endpoints']['POST /mailing_lists/:mailing_list_id/import_schedules']['body']
  >
): Promise<ImportSchedule> {
  return imports.call('POST /mailing_lists/:mailing_list_id/import_schedules', {
    params: { mailing_list_id: listId },
    body: schedule
  })
}

export function updateImportSchedule(
  id: number,
  changes: Given<(typeof databaseImportEndpoints)['endpoints']['PUT /import_schedules/:id']['body']>
): Promise<ImportSchedule> {
  return imports.call('PUT /import_schedules/:id', { params: { id }, body: changes })
}

export async function deleteImportSchedule(id: number): Promise<void> {
  await imports.call('DELETE /import_schedules/:id', { params: { id } })
}
