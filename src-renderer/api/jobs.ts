import type { Job } from '../../src-main/api/jobs/schema.ts'
import { call, callPage, callWorkbench, query } from './client.ts'

export type { Job }

/** Jobs that ended longer ago are left out, in seconds. */
const shownFor = 7 * 24 * 60 * 60

/**
 * What is being done, and what ended within the last days; the newest first.
 * @param everywhere whether of all organizations, for system administrators
 */
export async function fetchJobs(everywhere: boolean): Promise<Job[]> {
  const since = Math.floor(Date.now() / 1000) - shownFor
  const scope = everywhere ? '_on_all_organizations' : ''
  const [unfinished, ended] = await Promise.all([
    callPage<Job>(`/jobs/unfinished${scope}`),
    callPage<Job>(`/jobs/all${scope}${query({ finished_at__after: since })}`)
  ])
  return [...unfinished.data.reverse(), ...ended.data.reverse()]
}

export type JobAction = 'pause' | 'resume' | 'cancel'

const paths = {
  Campaign: 'campaigns',
  SubscriberImport: 'subscriber_imports',
  SubscriberExport: 'subscriber_exports',
  SuppressedAddressImport: 'suppressed_address_imports'
}

export function actOnJob({ id, job_type: type }: Job, action: JobAction): Promise<unknown> {
  // Only campaigns are resumed; the others are unpaused.
  const name = action === 'resume' && type !== 'Campaign' ? 'unpause' : action
  const send = type === 'SuppressedAddressImport' ? callWorkbench : call
  return send(`/${paths[type]}/${id}/${name}`, { method: 'POST' })
}
