import type { jobEndpoints } from '../../src-main/api/jobs/endpoints.ts'
import type { Job } from '../../src-main/api/jobs/schema.ts'
import { actOnCampaign } from './campaigns.ts'
import { actOnBulkAction, type BulkAction, fetchBulkActions, isUnderWay, progressOf } from './bulk-actions.ts'
import type { LiveEvent } from '../../src-main/workbench/events/schema.ts'
import { apiCalls, ifPermitted } from './client.ts'
import { fetchImports } from './imports.ts'
import { actOnExport } from './subscriber-exports.ts'
import { actOnImport } from './subscriber-imports.ts'
import { actOnSuppressedAddressImport } from './suppression-lists.ts'

/**
 * A job of the API, or a bulk action, which the API does not list. The API calls an undone import finished.
 */
export type AnyJob =
  | (Omit<Job, 'state'> & { state: Job['state'] | 'undone' })
  | (Omit<Job, 'job_type' | 'state' | 'name'> & {
      job_type: 'BulkAction'
      state: BulkAction['state']
      action: BulkAction
    })

const { call } = apiCalls<typeof jobEndpoints>()

/** The kinds of changes that jobs cause. */
export const jobEntities: LiveEvent['entity'][] = [
  'bulk_action',
  'campaign',
  'subscriber',
  'subscriber_import',
  'subscriber_export',
  'suppressed_address_import'
]

/** Jobs that ended longer ago are left out, in seconds. */
const shownFor = 7 * 24 * 60 * 60

/**
 * Returns running jobs and those that ended in the last days, newest first.
 * @param everywhere all organizations, for system administrators; bulk actions only of the current one
 * @param organizationId of the bulk actions
 */
export async function fetchJobs(everywhere: boolean, organizationId: number): Promise<AnyJob[]> {
  const since = Date.now() - shownFor * 1000
  const scope = everywhere ? '_on_all_organizations' : ''
  const [unfinished, ended, actions, undone] = await Promise.all([
    call(`GET /jobs/unfinished${scope}`),
    call(`GET /jobs/all${scope}`, { query: { finished_at__after: Math.floor(since / 1000) } }),
    // Users who may not see subscribers do not see bulk actions either.
    ifPermitted(
      fetchBulkActions(null).then(({ data }) => data),
      []
    ),
    ifPermitted(fetchUndoneImports(), [])
  ])
  const isUndone = (job: Job): boolean => job.job_type === 'SubscriberImport' && undone.includes(job.id)
  const jobsOf = (some: BulkAction[]): AnyJob[] => some.map((action) => jobOf(action, organizationId))
  const endedActions = actions.filter(
    (action) => !isUnderWay(action) && Date.parse(action.finished_at ?? action.created_at) > since
  )
  const newestFirst = (jobs: AnyJob[]): AnyJob[] =>
    jobs.sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
  return [
    ...newestFirst([...unfinished, ...jobsOf(actions.filter(isUnderWay))]),
    ...newestFirst([
      ...ended.map((job) => (isUndone(job) ? { ...job, state: 'undone' as const } : job)),
      ...jobsOf(endedActions)
    ])
  ]
}

async function fetchUndoneImports(): Promise<number[]> {
  const { data } = await fetchImports(null)
  return data.filter((each) => each.is_undone).map(({ id }) => id)
}

function jobOf(action: BulkAction, organizationId: number): Extract<AnyJob, { job_type: 'BulkAction' }> {
  const { id, mailing_list_id, state, created_at, finished_at } = action
  const { done, total } = progressOf(action)
  return {
    id,
    job_type: 'BulkAction',
    state,
    state2: null,
    paused: false,
    action,
    mailing_list_id,
    organization_id: organizationId,
    suppression_list_id: null,
    progress_value: done,
    progress_total: total,
    begins_at: null,
    started_at: created_at,
    finished_at,
    retry_at: null,
    created_at,
    updated_at: finished_at ?? created_at
  }
}

export type JobAction = 'pause' | 'resume' | 'cancel'

/** @param action what can be done to every job is cancelling it; a bulk action is not paused */
export function actOnJob({ id, job_type: type }: AnyJob, action: JobAction): Promise<unknown> {
  if (type === 'BulkAction') return actOnBulkAction(id, 'cancel')
  if (type === 'Campaign') return actOnCampaign(id, action)
  // Campaigns are resumed; all other jobs are unpaused.
  const name = action === 'resume' ? 'unpause' : action
  const act = {
    SubscriberImport: actOnImport,
    SubscriberExport: actOnExport,
    SuppressedAddressImport: actOnSuppressedAddressImport
  }[type]
  return act(id, name)
}
