import { type Static, Type } from 'typebox'
import { endpoints } from '../../http/endpoint.ts'
import { pagedEnvelope } from '../../http/envelope.ts'
import { PageQuery } from '../../http/pagination.ts'
import { OrganizationParams, TimeInput } from '../../http/schema.ts'
import { Job, jobStates, jobTypes } from './schema.ts'

/** docs/api.md, "Limits". */
const defaultPerPage = 2000

const JobsQuery = Type.Object({
  begins_at__after: Type.Optional(TimeInput),
  begins_at__before: Type.Optional(TimeInput),
  finished_at__after: Type.Optional(TimeInput),
  finished_at__before: Type.Optional(TimeInput),
  state: Type.Optional(Type.Enum([...jobStates])),
  job_type: Type.Optional(Type.Enum([...jobTypes])),
  ...PageQuery(defaultPerPage)
})
const own = { access: 'signed_in', query: JobsQuery, answer: pagedEnvelope(Job) } as const
const ofAllOrganizations = { ...own, access: 'system_admin' } as const
const ofOneOrganization = {
  ...ofAllOrganizations,
  params: OrganizationParams
} as const
export type JobsQuery = Static<typeof JobsQuery>

export const jobEndpoints = endpoints('Background jobs', {
  'GET /jobs/all': { ...own, summary: 'List all jobs' },
  'GET /jobs/unfinished': { ...own, summary: 'List unfinished jobs' },

  'GET /jobs/all_on_all_organizations': {
    ...ofAllOrganizations,
    summary: 'List all jobs of all organizations'
  },
  'GET /jobs/unfinished_on_all_organizations': {
    ...ofAllOrganizations,
    summary: 'List unfinished jobs of all organizations'
  },

  'GET /organizations/:organization_id/jobs/all': {
    ...ofOneOrganization,
    summary: 'List all jobs of an organization'
  },
  'GET /organizations/:organization_id/jobs/unfinished': {
    ...ofOneOrganization,
    summary: 'List unfinished jobs of an organization'
  }
})
