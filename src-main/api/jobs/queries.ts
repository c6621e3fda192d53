import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import { formatOptionalTime, formatTime } from '../../times.ts'
import { endedJobStates, type Job, type JobType } from './schema.ts'

export interface JobFilter {
  /** Null = of all organizations. */
  organizationId: number | null
  unfinishedOnly: boolean
  jobType?: JobType | undefined
  state?: string | undefined
  /** UNIX milliseconds, all exclusive. */
  beginsAfter?: number | undefined
  beginsBefore?: number | undefined
  finishedAfter?: number | undefined
  finishedBefore?: number | undefined
}

/** The columns that every kind of job has, under one name. */
interface JobRow extends Omit<
  Job,
  'paused' | 'begins_at' | 'started_at' | 'finished_at' | 'retry_at' | 'created_at' | 'updated_at'
> {
  paused: number
  begins_at: number | null
  started_at: number | null
  finished_at: number | null
  retry_at: number | null
  created_at: number
  updated_at: number
}

/** Imports, exports and campaigns with delivery settings, of lists that are not deleted, and files of addresses to suppress. */
function allJobs(db: Kysely<Schema>) {
  const imports = db
    .selectFrom('subscriber_imports as job')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'job.mailing_list_id')
    .where('mailing_lists.deleted_at', 'is', null)
    .select([
      'job.id',
      sql<JobType>`'SubscriberImport'`.as('job_type'),
      // The spec's words for an import whose file is being fetched, and for one that waits for another attempt.
      sql<Job['state']>`CASE WHEN job.state <> 'downloading' THEN job.state
        WHEN job.retry_at IS NULL THEN 'loading_immediate' ELSE 'loading_delayed' END`.as('state'),
      sql<string | null>`NULL`.as('state2'),
      sql<number>`job.state = 'paused'`.as('paused'),
      (select) => select.fn.coalesce('job.source_url', 'job.source_filename').as('name'),
      sql<number | null>`job.mailing_list_id`.as('mailing_list_id'),
      sql<number | null>`NULL`.as('suppression_list_id'),
      'job.organization_id',
      'records_imported as progress_value',
      'number_of_records as progress_total',
      sql<number | null>`job.begins_at`.as('begins_at'),
      'job.started_at',
      'job.finished_at',
      sql<number | null>`job.retry_at`.as('retry_at'),
      'job.created_at',
      'job.updated_at'
    ])
  const exports = db
    .selectFrom('subscriber_exports as job')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'job.mailing_list_id')
    .where('mailing_lists.deleted_at', 'is', null)
    .select([
      'job.id',
      sql<JobType>`'SubscriberExport'`.as('job_type'),
      sql<Job['state']>`job.state`.as('state'),
      sql<string | null>`NULL`.as('state2'),
      sql<number>`job.state = 'paused'`.as('paused'),
      'mailing_lists.name',
      sql<number | null>`job.mailing_list_id`.as('mailing_list_id'),
      sql<number | null>`NULL`.as('suppression_list_id'),
      'job.organization_id',
      'records_exported as progress_value',
      'number_of_records as progress_total',
      sql<number | null>`job.created_at`.as('begins_at'),
      'job.started_at',
      'job.finished_at',
      sql<number | null>`NULL`.as('retry_at'),
      'job.created_at',
      'job.updated_at'
    ])
  const campaigns = db
    .selectFrom('campaigns as job')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'job.mailing_list_id')
    .innerJoin('dispatches', 'dispatches.campaign_id', 'job.id')
    .leftJoin('deliveries', 'deliveries.campaign_id', 'job.id')
    .where('mailing_lists.deleted_at', 'is', null)
    .where('is_template', '=', 0)
    .select([
      'job.id',
      sql<JobType>`'Campaign'`.as('job_type'),
      sql<Job['state']>`dispatches.state`.as('state'),
      sql<string | null>`CASE
        WHEN dispatches.state = 'finished' THEN 'finished'
        WHEN dispatches.state = 'cancelled' THEN 'terminated'
        WHEN dispatches.state = 'failed' THEN 'crashed'
        WHEN dispatches.state = 'idle' THEN NULL
        WHEN dispatches.paused = 1 THEN 'paused'
        WHEN dispatches.state = 'scheduled' THEN 'sending.not_yet_started'
        WHEN deliveries.phase = 'decision_delay' THEN 'onhold_autowinner'
        WHEN deliveries.recipients IS NULL THEN 'sending.preparing_recip_list'
        ELSE 'sending.sending' END`.as('state2'),
      'dispatches.paused',
      'job.name',
      sql<number | null>`job.mailing_list_id`.as('mailing_list_id'),
      sql<number | null>`NULL`.as('suppression_list_id'),
      'mailing_lists.organization_id',
      sql<number>`(SELECT cast(total(messages_sent) AS INTEGER) FROM stats
        JOIN stat_slices ON stat_slices.stat_id = stats.id
        JOIN stat_counters ON stat_counters.stat_slice_id = stat_slices.id
        WHERE stats.campaign_id = job.id)`.as('progress_value'),
      'deliveries.recipients as progress_total',
      'dispatches.begins_at',
      'dispatches.started_at',
      'dispatches.finished_at',
      sql<number | null>`NULL`.as('retry_at'),
      'job.created_at',
      'job.updated_at'
    ])
  const suppressions = db
    .selectFrom('suppressed_address_imports as job')
    .innerJoin('suppression_lists', 'suppression_lists.id', 'job.suppression_list_id')
    .select([
      'job.id',
      sql<JobType>`'SuppressedAddressImport'`.as('job_type'),
      sql<Job['state']>`job.state`.as('state'),
      sql<string | null>`NULL`.as('state2'),
      sql<number>`job.state = 'paused'`.as('paused'),
      'job.source_filename as name',
      'suppression_lists.mailing_list_id',
      sql<number | null>`job.suppression_list_id`.as('suppression_list_id'),
      'job.organization_id',
      'records_read as progress_value',
      'number_of_records as progress_total',
      sql<number | null>`job.created_at`.as('begins_at'),
      'job.started_at',
      'job.finished_at',
      sql<number | null>`NULL`.as('retry_at'),
      'job.created_at',
      'job.updated_at'
    ])
  return imports.unionAll(exports).unionAll(campaigns).unionAll(suppressions)
}

/** A page of jobs, by the time they were made. */
export async function jobs(
  db: Kysely<Schema>,
  filter: JobFilter,
  { page, per_page }: { page: number; per_page: number }
): Promise<{ rows: JobRow[]; total: number }> {
  let query = db.selectFrom(allJobs(db).as('job'))
  if (filter.organizationId !== null) query = query.where('organization_id', '=', filter.organizationId)
  if (filter.unfinishedOnly) query = query.where('state', 'not in', endedJobStates)
  if (filter.jobType !== undefined) query = query.where('job_type', '=', filter.jobType)
  if (filter.state !== undefined) query = query.where('state', '=', filter.state as Job['state'])
  if (filter.beginsAfter !== undefined) query = query.where('begins_at', '>', filter.beginsAfter)
  if (filter.beginsBefore !== undefined) query = query.where('begins_at', '<', filter.beginsBefore)
  if (filter.finishedAfter !== undefined) query = query.where('finished_at', '>', filter.finishedAfter)
  if (filter.finishedBefore !== undefined) query = query.where('finished_at', '<', filter.finishedBefore)
  const { total } = await query
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await query
    .selectAll()
    .orderBy('created_at')
    .orderBy('job_type')
    .orderBy('id')
    .limit(per_page)
    .offset(page * per_page)
    .execute()
  return { rows, total }
}

/** A job as the API answers it (spec, "Background job"). */
export function presentJob(row: JobRow, timeZone: string): Job {
  return {
    ...row,
    paused: row.paused === 1,
    begins_at: formatOptionalTime(row.begins_at, timeZone),
    started_at: formatOptionalTime(row.started_at, timeZone),
    finished_at: formatOptionalTime(row.finished_at, timeZone),
    retry_at: formatOptionalTime(row.retry_at, timeZone),
    created_at: formatTime(row.created_at, timeZone),
    updated_at: formatTime(row.updated_at, timeZone)
  }
}
