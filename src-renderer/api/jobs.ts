import type { jobEndpoints } from '../../src-main/api/jobs/endpoints.ts'
import type { Job } from '../../src-main/api/jobs/schema.ts'
import { actOnCampaign } from './campaigns.ts'
import { apiCalls } from './client.ts'
import { actOnExport } from './subscriber-exports.ts'
import { actOnImport } from './subscriber-imports.ts'
import { actOnSuppressedAddressImport } from './suppression-lists.ts'

export type { Job }

const { call } = apiCalls<typeof jobEndpoints>()

/** Jobs that ended longer ago are left out, in seconds. */
const shownFor = 7 * 24 * 60 * 60

/**
 * What is being done, and what ended within the last days; the newest first.
 * @param everywhere whether of all organizations, for system administrators
 */
export async function fetchJobs(everywhere: boolean): Promise<Job[]> {
  const since = { finished_at__after: Math.floor(Date.now() / 1000) - shownFor }
  const scope = everywhere ? '_on_all_organizations' : ''
  const [unfinished, ended] = await Promise.all([
    call(`GET /jobs/unfinished${scope}`),
    call(`GET /jobs/all${scope}`, { query: since })
  ])
  return [...unfinished.reverse(), ...ended.reverse()]
}

export type JobAction = 'pause' | 'resume' | 'cancel'

export function actOnJob({ id, job_type: type }: Job, action: JobAction): Promise<unknown> {
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
