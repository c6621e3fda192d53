import type { Kysely } from 'kysely'
import { type JobDatabase, jobDatabaseOf } from '../api/database-connections/queries.ts'
import type { Credentials } from '../base/credentials.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import type { Job, JobKind } from '../jobs/job-runner.ts'
import { nextRemovals, writeBackWithConnection } from './queries.ts'
import type { WriteBackSchedule } from './schedule.ts'

const maxAtOnce = 4
/** Time for what is being written when the application closes, in milliseconds. */
const graceOnClose = 2000

export interface WriteBackData {
  database: JobDatabase
  /** Milliseconds that a removal waits before it is written. */
  delay: number
}

/** Writes the removals of Remote Lists into their databases, as they happen. The table is tried before there is any. */
export function writeBackJobs(
  reader: Kysely<Schema>,
  writer: Pick<Writer, 'run'>,
  credentials: Pick<Credentials, 'read'>,
  { delay, pauses }: WriteBackSchedule
): JobKind<Job> {
  return {
    name: 'Writing back to a database',
    entity: 'write_back',
    thread: { base: import.meta.url, name: 'write-back-thread' },
    graceOnClose,
    threadData: async ({ id }): Promise<WriteBackData> => ({
      database: await databaseOf(reader, credentials, id),
      delay
    }),
    // A list can get another database.
    restartsOn: ({ entity, isUnlogged }) =>
      ['write_back', 'database_connection', 'mailing_list'].includes(entity) && !isUnlogged,
    unfinished: async () => {
      const rows = await reader
        .selectFrom('write_backs')
        .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_id')
        .select(['write_backs.id', 'mailing_list_id', 'next_at', 'checked_at'])
        .where('is_enabled', '=', 1)
        .where('deleted_at', 'is', null)
        .execute()
      const jobs = rows.map(async ({ id, mailing_list_id, next_at, checked_at }): Promise<Job[]> => {
        if (checked_at === null) return [{ id, dueAt: next_at }]
        const [first] = await nextRemovals(reader, mailing_list_id, 1)
        return first ? [{ id, dueAt: Math.max(next_at, first.recorded_at + delay) }] : []
      })
      return (await Promise.all(jobs)).flat()
    },
    mayStart: (_job, running) => running.length < maxAtOnce,
    end: (id, end) => writer.run('writeBacks.end', { id, end, pauses })
  }
}

async function databaseOf(
  reader: Kysely<Schema>,
  credentials: Pick<Credentials, 'read'>,
  id: number
): Promise<JobDatabase> {
  const connection = await writeBackWithConnection(reader, id)
    .selectAll('database_connections')
    .executeTakeFirstOrThrow()
  return jobDatabaseOf(connection, credentials)
}
