import { type Kysely, type RawBuilder, sql } from 'kysely'
import { readingGivenUp } from '../remote-lists/rules.ts'
import type { Schema } from '../../database/schema.ts'
import { formatOptionalTime, formatTime } from '../../base/times.ts'
import { endedJobStates, type Job, type JobType } from './schema.ts'
import { type Page, pageOf } from '../../http/pagination.ts'

export interface JobFilter {
  /** null = all organizations. */
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

const none = sql<null>`NULL`

/** Columns that some kinds of jobs have under another name, or not at all. */
interface JobColumns {
  /** Default: the column `state`. */
  state?: RawBuilder<Job['state']>
  state2?: RawBuilder<string | null>
  /** Default: whether the state is "paused". */
  paused?: RawBuilder<number>
  name: RawBuilder<string>
  mailing_list_id: RawBuilder<number | null>
  suppression_list_id?: RawBuilder<number | null>
  organization_id: RawBuilder<number>
  progress_value: RawBuilder<number>
  progress_total: RawBuilder<number | null>
  begins_at: RawBuilder<number | null>
  started_at: RawBuilder<number | null>
  finished_at: RawBuilder<number | null>
  retry_at?: RawBuilder<number | null>
  /** Default: the column `updated_at`. */
  updated_at?: RawBuilder<number>
}

/**
 * Selects the columns of one kind of job; its table has the alias job. A UNION matches columns by position,
 * so their order is defined only here.
 */
function columnsOf(type: JobType, own: JobColumns) {
  return [
    sql<number>`job.id`.as('id'),
    sql<JobType>`${sql.lit(type)}`.as('job_type'),
    (own.state ?? sql<Job['state']>`job.state`).as('state'),
    (own.state2 ?? none).as('state2'),
    (own.paused ?? sql<number>`job.state = 'paused'`).as('paused'),
    own.name.as('name'),
    own.mailing_list_id.as('mailing_list_id'),
    (own.suppression_list_id ?? none).as('suppression_list_id'),
    own.organization_id.as('organization_id'),
    own.progress_value.as('progress_value'),
    own.progress_total.as('progress_total'),
    own.begins_at.as('begins_at'),
    own.started_at.as('started_at'),
    own.finished_at.as('finished_at'),
    (own.retry_at ?? none).as('retry_at'),
    sql<number>`job.created_at`.as('created_at'),
    (own.updated_at ?? sql<number>`job.updated_at`).as('updated_at')
  ] as const
}

const ofJob = {
  organization_id: sql<number>`job.organization_id`,
  progress_total: sql<number | null>`job.number_of_records`,
  started_at: sql<number | null>`job.started_at`,
  finished_at: sql<number | null>`job.finished_at`
}

/**
 * Imports, exports, campaigns with delivery settings of existing lists, and imports into suppression lists.
 */
function allJobs(db: Kysely<Schema>) {
  const imports = db
    .selectFrom('subscriber_imports as job')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'job.mailing_list_id')
    .where('mailing_lists.deleted_at', 'is', null)
    .select(
      columnsOf('SubscriberImport', {
        ...ofJob,
        // The API's names for an import whose file is being fetched, and for one that waits for another
        // attempt.
        state: sql`CASE WHEN job.state <> 'downloading' THEN job.state
          WHEN job.retry_at IS NULL THEN 'loading_immediate' ELSE 'loading_delayed' END`,
        name: sql`coalesce(job.source_url, job.source_filename)`,
        mailing_list_id: sql`job.mailing_list_id`,
        progress_value: sql`job.records_imported`,
        begins_at: sql`job.begins_at`,
        retry_at: sql`job.retry_at`
      })
    )
  const exports = db
    .selectFrom('subscriber_exports as job')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'job.mailing_list_id')
    .where('mailing_lists.deleted_at', 'is', null)
    .select(
      columnsOf('SubscriberExport', {
        ...ofJob,
        name: sql`mailing_lists.name`,
        mailing_list_id: sql`job.mailing_list_id`,
        progress_value: sql`job.records_exported`,
        begins_at: sql`job.created_at`
      })
    )
  const campaigns = db
    .selectFrom('campaigns as job')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'job.mailing_list_id')
    .innerJoin('dispatches', 'dispatches.campaign_id', 'job.id')
    .leftJoin('deliveries', 'deliveries.campaign_id', 'job.id')
    .where('mailing_lists.deleted_at', 'is', null)
    .where('job.deleted_at', 'is', null)
    .where('is_template', '=', 0)
    .select(
      columnsOf('Campaign', {
        state: sql`dispatches.state`,
        state2: sql`CASE
          WHEN dispatches.state = 'finished' THEN 'finished'
          WHEN dispatches.state = 'cancelled' THEN 'terminated'
          WHEN dispatches.state = 'failed' THEN 'crashed'
          WHEN dispatches.state = 'idle' THEN NULL
          WHEN dispatches.paused = 1 AND deliveries.reading_failures = ${sql.lit(readingGivenUp)} THEN 'paused_remote_list_error'
          WHEN dispatches.paused = 1 THEN 'paused'
          WHEN dispatches.state = 'scheduled' THEN 'sending.not_yet_started'
          WHEN deliveries.phase = 'decision_delay' THEN 'onhold_autowinner'
          WHEN deliveries.waits_for = 'quota' THEN 'paused_quota'
          WHEN deliveries.recipients IS NULL THEN 'sending.preparing_recip_list'
          ELSE 'sending.sending' END`,
        paused: sql`dispatches.paused`,
        name: sql`job.name`,
        mailing_list_id: sql`job.mailing_list_id`,
        organization_id: sql`mailing_lists.organization_id`,
        progress_value: sql`(SELECT cast(total(messages_sent) AS INTEGER) FROM stats
          JOIN stat_slices ON stat_slices.stat_id = stats.id
          JOIN stat_counters ON stat_counters.stat_slice_id = stat_slices.id
          WHERE stats.campaign_id = job.id)`,
        progress_total: sql`deliveries.recipients`,
        begins_at: sql`dispatches.begins_at`,
        started_at: sql`dispatches.started_at`,
        finished_at: sql`dispatches.finished_at`,
        updated_at: sql`max(job.updated_at, coalesce(dispatches.updated_at, 0))`
      })
    )
  const suppressions = db
    .selectFrom('suppressed_address_imports as job')
    .innerJoin('suppression_lists', 'suppression_lists.id', 'job.suppression_list_id')
    .select(
      columnsOf('SuppressedAddressImport', {
        ...ofJob,
        name: sql`job.source_filename`,
        mailing_list_id: sql`suppression_lists.mailing_list_id`,
        suppression_list_id: sql`job.suppression_list_id`,
        progress_value: sql`job.records_read`,
        begins_at: sql`job.created_at`
      })
    )
  return imports.unionAll(exports).unionAll(campaigns).unionAll(suppressions)
}

/** Returns a page of jobs by creation time. */
export async function jobs(
  db: Kysely<Schema>,
  filter: JobFilter,
  page: Page
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
  return pageOf(query.selectAll().orderBy('created_at').orderBy('job_type').orderBy('id'), page)
}

/** A job as the API answers it (docs/api.md, "Jobs"). */
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
