import type { jobEndpoints } from '../../src-main/api/jobs/endpoints.ts'
import type { Job } from '../../src-main/api/jobs/schema.ts'
import { actOnCampaign } from './campaigns.ts'
import { actOnBulkAction, type BulkAction, fetchBulkActions } from './bulk-actions.ts'
import { apiCalls, ApiFailure } from './client.ts'
import { actOnExport } from './subscriber-exports.ts'
import { actOnImport } from './subscriber-imports.ts'
import { actOnSuppressedAddressImport } from './suppression-lists.ts'

/** What is being done, or was: a job of the API, or a bulk action, of which the API tells nothing. */
export type AnyJob =
  | Job
  | (Omit<Job, 'job_type' | 'state' | 'name'> & {
      job_type: 'BulkAction'
      state: BulkAction['state']
      action: BulkAction
    })

const { call } = apiCalls<typeof jobEndpoints>()

/** Jobs that ended longer ago are left out, in seconds. */
const shownFor = 7 * 24 * 60 * 60

/**
 * What is being done, and what ended within the last days; the newest first.
 * @param everywhere whether of all organizations, for system administrators; bulk actions are told of this one alone
 * @param organizationId whose bulk actions these are
 */
export async function fetchJobs(everywhere: boolean, organizationId: number): Promise<AnyJob[]> {
  const since = Date.now() - shownFor * 1000
  const scope = everywhere ? '_on_all_organizations' : ''
  const [unfinished, ended, actions] = await Promise.all([
    call(`GET /jobs/unfinished${scope}`),
    call(`GET /jobs/all${scope}`, { query: { finished_at__after: Math.floor(since / 1000) } }),
    bulkActionsOrNone()
  ])
  const bulk = actions
    .map((action) => jobOf(action, organizationId))
    .filter(({ finished_at: at, state }) => state === 'undoing' || at === null || Date.parse(at) > since)
  const newestFirst = (jobs: AnyJob[]): AnyJob[] =>
    jobs.sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
  const isUnderWay = ({ state }: AnyJob): boolean => state === 'running' || state === 'undoing'
  return [
    ...newestFirst([...unfinished, ...bulk.filter(isUnderWay)]),
    ...newestFirst([...ended, ...bulk.filter((job) => !isUnderWay(job))])
  ]
}

/** Who may not see subscribers is not told of bulk actions either. */
async function bulkActionsOrNone(): Promise<BulkAction[]> {
  try {
    return (await fetchBulkActions(null)).data
  } catch (error) {
    if (error instanceof ApiFailure && error.code === 'not_authorized') return []
    throw error
  }
}

function jobOf(action: BulkAction, organizationId: number): Extract<AnyJob, { job_type: 'BulkAction' }> {
  const { id, mailing_list_id, state, created_at, finished_at } = action
  const isUndoing = state === 'undoing'
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
    progress_value: isUndoing ? action.undo_done : action.done,
    progress_total: isUndoing ? action.changed : action.total,
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
  // Only campaigns are resumed; the others are unpaused.
  const name = action === 'resume' ? 'unpause' : action
  const act = {
    SubscriberImport: actOnImport,
    SubscriberExport: actOnExport,
    SuppressedAddressImport: actOnSuppressedAddressImport
  }[type]
  return act(id, name)
}
