import { ApiError, internalError, refusalOf } from '../../base/errors.ts'
import type { Reading } from '../../contact-files/schema.ts'
import { kyselyOver, openForReading } from '../../database/connection.ts'
import { databasePathIn } from '../../database/database-path.ts'
import type { JobOutcome } from '../../jobs/outcome.ts'
import { type RunningJob, runJobs } from '../../jobs/run-job.ts'
import { rowsFileOf, writeRowsInThread } from '../from-databases/database-rows.ts'
import { findUpload } from '../source.ts'
import { storeUpload } from '../store-upload.ts'
import type { ScheduleData } from './schedule-jobs.ts'

// Reads the rows of one repeated import into the upload directory, and begins its import.

runJobs(readRows, {
  onStorageFault: (fault) => ({ is: 'held', fault }),
  describe: (error) =>
    error instanceof ApiError ? refusalOf(error) : internalError('A repeated import', error)
})

async function readRows(job: RunningJob<ScheduleData>): Promise<JobOutcome> {
  const { id, client, data, dataDirectory, signal } = job
  if ('fault' in data.database) return { is: 'held', fault: data.database.fault }
  const { target, timeLimit } = data.database
  const schedule = await scheduleOf(dataDirectory, id)
  if (!schedule) return { is: 'stopped' }
  const { organization_id: organizationId, query } = schedule
  const { columns } = JSON.parse(schedule.reading) as Reading
  const question = { target, query, timeLimit, columns: columns.map(({ header }) => header) }
  try {
    const filename = await storeUpload(
      { writer: client, dataDirectory, organizationId },
      rowsFileOf(target),
      async (path) => void (await writeRowsInThread({ ...question, path }, signal))
    )
    const source = await findUpload(dataDirectory, organizationId, filename)
    await client.run('importSchedules.begin', { id, query, source })
    return { is: 'finished' }
  } catch (error) {
    if (!(error instanceof ApiError) || signal.aborted) throw error
    const now = await scheduleOf(dataDirectory, id)
    return now?.query === query ? { is: 'held', fault: refusalOf(error) } : { is: 'stopped' }
  }
}

async function scheduleOf(dataDirectory: string, id: number) {
  const reader = kyselyOver(openForReading(databasePathIn(dataDirectory)))
  try {
    return await reader
      .selectFrom('import_schedules')
      .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_id')
      .select(['query', 'reading', 'organization_id'])
      .where('import_schedules.id', '=', id)
      .where('is_enabled', '=', 1)
      .executeTakeFirst()
  } finally {
    await reader.destroy()
  }
}
