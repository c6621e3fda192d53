import type { Kysely } from 'kysely'
import {
  databaseConnectionById,
  type DatabaseConnectionRow,
  databaseConnections,
  mayUseConnection,
  targetOf
} from '../../api/database-connections/queries.ts'
import { localListById } from '../../api/mailing-lists/queries.ts'
import { notFound } from '../../base/errors.ts'
import { readStoredRefusal } from '../../base/stored-refusal.ts'
import { formatTime } from '../../base/times.ts'
import { createdFields } from '../../contact-files/interpreter.ts'
import { type Reading, reusableReading } from '../../contact-files/schema.ts'
import type { Schema } from '../../database/schema.ts'
import { ok } from '../../http/envelope.ts'
import { requireAccess } from '../../http/permissions.ts'
import { signalOf } from '../../http/caller-signal.ts'
import { serveEndpoints } from '../../http/serve.ts'
import {
  importScheduleById,
  type ImportScheduleRow,
  listImportSchedules
} from '../../imports/schedules/queries.ts'
import { rowsFileOf } from '../../imports/from-databases/database-rows.ts'
import { storeUpload } from '../../imports/store-upload.ts'
import { databaseImportEndpoints, type ImportSchedule } from './endpoints.ts'

/** Imports whose rows come from a database. */
export const databaseImportRoutes = serveEndpoints(
  databaseImportEndpoints,
  ({ reader, writer, dataDirectory, credentials, databaseRows }) => {
    /** @throws ApiError not_found, also for one that the organization may not use */
    async function connectionFor(organizationId: number, id: number): Promise<DatabaseConnectionRow> {
      const connection = await databaseConnectionById(reader, id)
      if (!mayUseConnection(organizationId, connection)) throw notFound('database connection', id)
      return connection
    }

    /** @throws as {@link connectionFor} */
    async function databaseFor(organizationId: number, id: number) {
      const connection = await connectionFor(organizationId, id)
      return { target: await targetOf(connection, credentials), timeLimit: connection.time_limit * 1000 }
    }

    /** @throws ApiError validation_failed for a query that does not return the columns of a repeated import */
    async function checkQuery(
      organizationId: number,
      schedule: ImportScheduleRow,
      query: string,
      signal: AbortSignal
    ): Promise<void> {
      const database = await databaseFor(organizationId, schedule.database_connection_id)
      const columns = (JSON.parse(schedule.reading) as Reading).columns.map(({ header }) => header)
      await databaseRows.check({ ...database, query, columns }, signal)
    }

    return {
      'GET /database_sources': async ({ caller }) =>
        ok(
          (await databaseConnections(reader))
            .filter((connection) => mayUseConnection(caller.organizationId, connection))
            .flatMap(({ id, name, engine }) => (engine === null ? [] : [{ id, name, engine }]))
        ),

      'POST /database_uploads': async ({ caller: { organizationId }, body }, reply) => {
        const database = await databaseFor(organizationId, body.database_connection_id)
        const signal = signalOf(reply)
        let rows = 0
        const filename = await storeUpload(
          { writer, dataDirectory, organizationId },
          rowsFileOf(database.target),
          async (path) => {
            rows = await databaseRows.write({ ...database, path, query: body.query }, signal)
          }
        )
        return ok({ filename, rows })
      },

      'GET /mailing_lists/:mailing_list_id/import_schedules': async ({ caller, params }) => {
        const { organizationId, timeZone } = caller
        const list = await localListById(reader, organizationId, params.mailing_list_id, 'subscriber imports')
        const rows = await listImportSchedules(reader, list.id)
        return ok(await Promise.all(rows.map((row) => presentSchedule(reader, row, timeZone))))
      },

      'POST /mailing_lists/:mailing_list_id/import_schedules': async ({ caller, params, body }) => {
        const { organizationId, timeZone } = caller
        const { database_connection_id, query, reading, every_minutes, ...options } = body
        const connection = await connectionFor(organizationId, database_connection_id)
        if (createdFields(reading).length > 0) requireAccess(caller, 'custom_field.create')
        const id = await writer.run('importSchedules.create', {
          organizationId,
          mailingListId: params.mailing_list_id,
          schedule: {
            databaseConnectionId: connection.id,
            query,
            reading: reusableReading(reading),
            options,
            everyMinutes: every_minutes
          }
        })
        const row = await importScheduleById(reader, organizationId, id)
        return ok(await presentSchedule(reader, row, timeZone))
      },

      'PUT /import_schedules/:id': async ({ caller, params: { id }, body }, reply) => {
        const { organizationId, timeZone } = caller
        const before = await importScheduleById(reader, organizationId, id)
        if (body.query !== undefined && body.query !== before.query) {
          await checkQuery(organizationId, before, body.query, signalOf(reply))
        }
        await writer.run('importSchedules.update', { organizationId, id, changes: body })
        return ok(
          await presentSchedule(reader, await importScheduleById(reader, organizationId, id), timeZone)
        )
      },

      'DELETE /import_schedules/:id': async ({ caller: { organizationId }, params: { id } }) => {
        await writer.run('importSchedules.delete', { organizationId, id })
        return ok(null)
      }
    }
  }
)

async function presentSchedule(
  db: Kysely<Schema>,
  row: ImportScheduleRow,
  timeZone: string
): Promise<ImportSchedule> {
  const { id, name } = await databaseConnectionById(db, row.database_connection_id)
  return {
    id: row.id,
    database_connection: { id, name },
    ...{ query: row.query, every_minutes: row.every_minutes, last_import_id: row.last_import_id },
    is_enabled: row.is_enabled === 1,
    next_at: formatTime(row.next_at, timeZone),
    fault: row.fault === null ? null : readStoredRefusal(row.fault).fault
  }
}
