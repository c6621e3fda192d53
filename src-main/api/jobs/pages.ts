import { windowPages } from '../../base/window-pages.ts'
import type { Job, JobType } from './schema.ts'

/** The window's page for each type of job. */
export const jobPages: Record<
  JobType,
  (job: Pick<Job, 'id' | 'mailing_list_id' | 'suppression_list_id'>) => string
> = {
  Campaign: ({ mailing_list_id: listId, id }) => windowPages.campaign(listId ?? 0, id),
  SubscriberImport: ({ id }) => windowPages.import(id),
  SubscriberExport: ({ mailing_list_id: listId }) => windowPages.listTab(listId ?? 0, 'exports'),
  SuppressedAddressImport: ({ suppression_list_id: listId }) => windowPages.suppressionList(listId ?? 0)
}

/**
 * True for an import that a program sent as JSON: it has no file and is called "data"
 * (docs/api.md, "Subscriber imports").
 */
export function isUnnamed(job: { type: string; name: string }): boolean {
  return job.type === ('SubscriberImport' satisfies JobType) && job.name === 'data'
}
