import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import type { Caller } from '../../http/caller.ts'
import { okPage, pagedEnvelope } from '../../http/envelope.ts'
import { organizationById } from '../organizations/queries.ts'
import { PageQuery } from '../../http/pagination.ts'
import { TimeInput } from '../../http/schema.ts'
import { readTime } from '../statistics/periods.ts'
import { jobs, presentJob } from './queries.ts'
import { Job, jobStates, jobTypes } from './schema.ts'

const tags = ['Background jobs']
/** Spec, "Limits". */
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
type JobsQuery = Static<typeof JobsQuery>

export const jobRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader } = app.context
  const response = { 200: pagedEnvelope(Job) }

  for (const which of ['all', 'unfinished'] as const) {
    app.get(
      `/jobs/${which}`,
      {
        config: { access: 'signed_in' },
        schema: { tags, summary: `List ${which} jobs`, querystring: JobsQuery, response }
      },
      async ({ caller, query }) => answer(caller, caller.organizationId, query, which)
    )

    app.get(
      `/jobs/${which}_on_all_organizations`,
      {
        config: { access: 'system_admin' },
        schema: {
          tags,
          summary: `List ${which} jobs of all organizations`,
          querystring: JobsQuery,
          response
        }
      },
      async ({ caller, query }) => answer(caller, null, query, which)
    )

    app.get(
      `/organizations/:organization_id/jobs/${which}`,
      {
        config: { access: 'system_admin' },
        schema: {
          tags,
          summary: `List ${which} jobs of an organization`,
          params: Type.Object({ organization_id: Type.Integer({ minimum: 1 }) }),
          querystring: JobsQuery,
          response
        }
      },
      async ({ caller, params, query }) => {
        const { id } = await organizationById(reader, params.organization_id)
        return answer(caller, id, query, which)
      }
    )
  }

  async function answer(
    { timeZone }: Caller,
    organizationId: number | null,
    query: JobsQuery,
    which: 'all' | 'unfinished'
  ) {
    const time = (
      name: 'begins_at__after' | 'begins_at__before' | 'finished_at__after' | 'finished_at__before'
    ) => readTime(name, query[name], timeZone)
    const filter = {
      organizationId,
      unfinishedOnly: which === 'unfinished',
      jobType: query.job_type,
      state: query.state,
      beginsAfter: time('begins_at__after'),
      beginsBefore: time('begins_at__before'),
      finishedAfter: time('finished_at__after'),
      finishedBefore: time('finished_at__before')
    }
    const { rows, total } = await jobs(reader, filter, query)
    return okPage(
      rows.map((row) => presentJob(row, timeZone)),
      query,
      total
    )
  }
}
