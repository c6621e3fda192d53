import type { Job, JobType } from './schema.ts'

/** The window's page for each type of job. */
export const jobPages: Record<
  JobType,
  (job: Pick<Job, 'id' | 'mailing_list_id' | 'suppression_list_id'>) => string
> = {
  Campaign: ({ mailing_list_id: listId, id }) => `/lists/${listId}/campaigns/${id}`,
  SubscriberImport: ({ id }) => `/imports/${id}`,
  SubscriberExport: ({ mailing_list_id: listId }) => `/lists/${listId}/exports`,
  SuppressedAddressImport: ({ suppression_list_id: listId }) => `/suppression/${listId}`
}

/**
 * True for an import that a program sent as JSON: it has no file and is called "data"
 * (docs/api.md, "Subscriber imports").
 */
export function isUnnamed(job: { type: string; name: string }): boolean {
  return job.type === ('SubscriberImport' satisfies JobType) && job.name === 'data'
}
