import type { Kysely } from 'kysely'
import { type JobDatabase, jobDatabaseOf, mayUseConnection } from '../../api/database-connections/queries.ts'
import type { Credentials } from '../../base/credentials.ts'
import { refusal } from '../../base/refusal.ts'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import type { Job, JobKind } from '../../jobs/job-runner.ts'

const maxAtOnce = 2

/** An import that is still running is waited for, so that repeated ones do not pile up. */
const endedStates: readonly string[] = ['finished', 'failed', 'cancelled']
/** In milliseconds. */
const recheckDelay = 60_000

export interface ScheduleData {
  /** The database of the rows. */
  database: JobDatabase
}

/** Reads the rows of repeated imports when they are due, and begins their imports. */
export function scheduleJobs(
  reader: Kysely<Schema>,
  writer: Pick<Writer, 'run'>,
  credentials: Pick<Credentials, 'read'>
): JobKind<Job> {
  return {
    name: 'Reading a database for an import',
    entity: 'import_schedule',
    thread: { base: import.meta.url, name: 'schedule-thread' },
    threadData: async ({ id }): Promise<ScheduleData> => ({
      database: await databaseOf(reader, credentials, id)
    }),
    // It can have another query.
    restartsOn: ({ entity, isUnlogged }) => entity === 'import_schedule' && !isUnlogged,
    // A list can be restored, and a connection be repaired.
    alsoWakesOn: ({ entity }) => entity === 'mailing_list' || entity === 'database_connection',
    unfinished: async (now) => {
      const rows = await reader
        .selectFrom('import_schedules')
        .innerJoin('mailing_lists', 'mailing_lists.id', 'import_schedules.mailing_list_id')
        .leftJoin('subscriber_imports', 'subscriber_imports.id', 'last_import_id')
        .select(['import_schedules.id', 'next_at', 'state'])
        .where('is_enabled', '=', 1)
        .where('deleted_at', 'is', null)
        .orderBy('next_at')
        .execute()
      return rows.map(({ id, next_at, state }) => {
        const isOver = state === null || endedStates.includes(state)
        return { id, dueAt: isOver ? next_at : Math.max(next_at, now + recheckDelay) }
      })
    },
    mayStart: (_job, running) => running.length < maxAtOnce,
    end: async (id, end) => {
      if (end.is !== 'finished') await writer.run('importSchedules.fail', { id, fault: end.fault })
    }
  }
}

async function databaseOf(
  reader: Kysely<Schema>,
  credentials: Pick<Credentials, 'read'>,
  id: number
): Promise<JobDatabase> {
  const { organization_id, ...connection } = await reader
    .selectFrom('import_schedules')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'import_schedules.mailing_list_id')
    .innerJoin('database_connections', 'database_connections.id', 'import_schedules.database_connection_id')
    .selectAll('database_connections')
    .select('organization_id')
    .where('import_schedules.id', '=', id)
    .executeTakeFirstOrThrow()
  // It may have been allowed when the schedule was made, and not be any more.
  if (!mayUseConnection(organization_id, connection)) {
    return { fault: refusal('database_not_allowed', { name: connection.name }) }
  }
  return jobDatabaseOf(connection, credentials)
}
