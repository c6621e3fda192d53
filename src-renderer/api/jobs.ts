import type { Job } from '../../src-main/api/jobs/schema.ts'
import { call, callPage, query } from './client.ts'

export type { Job }

/** Jobs that ended longer ago are left out, in seconds. */
const shownFor = 7 * 24 * 60 * 60

/** What is being done, and what ended within the last days; the newest first. */
export async function fetchJobs(): Promise<Job[]> {
  const since = Math.floor(Date.now() / 1000) - shownFor
  const [unfinished, ended] = await Promise.all([
    callPage<Job>('/jobs/unfinished'),
    callPage<Job>(`/jobs/all${query({ finished_at__after: since })}`)
  ])
  return [...unfinished.data.reverse(), ...ended.data.reverse()]
}

export type JobAction = 'pause' | 'resume' | 'cancel'

const paths = {
  Campaign: 'campaigns',
  SubscriberImport: 'subscriber_imports',
  SubscriberExport: 'subscriber_exports'
}

/** Which kinds of jobs the window knows, and where they are. */
export type KnownJobType = keyof typeof paths

export function actOnJob({ id }: Job, type: KnownJobType, action: JobAction): Promise<unknown> {
  // Only campaigns are resumed; the others are unpaused.
  const name = action === 'resume' && type !== 'Campaign' ? 'unpause' : action
  return call(`/${paths[type]}/${id}/${name}`, { method: 'POST' })
}
