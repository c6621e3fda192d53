import type { Caller } from '../../http/caller.ts'
import { okPage } from '../../http/envelope.ts'
import { organizationById } from '../organizations/queries.ts'
import { readTime } from '../statistics/periods.ts'
import { jobs, presentJob } from './queries.ts'
import { jobEndpoints, type JobsQuery } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

export const jobRoutes = serveEndpoints(jobEndpoints, ({ reader }) => {
  return {
    'GET /jobs/all': async ({ caller, query }) => answer(caller, caller.organizationId, query, 'all'),
    'GET /jobs/unfinished': async ({ caller, query }) =>
      answer(caller, caller.organizationId, query, 'unfinished'),

    'GET /jobs/all_on_all_organizations': async ({ caller, query }) => answer(caller, null, query, 'all'),
    'GET /jobs/unfinished_on_all_organizations': async ({ caller, query }) =>
      answer(caller, null, query, 'unfinished'),

    'GET /organizations/:organization_id/jobs/all': async ({ caller, params, query }) =>
      answer(caller, await existing(params), query, 'all'),
    'GET /organizations/:organization_id/jobs/unfinished': async ({ caller, params, query }) =>
      answer(caller, await existing(params), query, 'unfinished')
  }

  async function existing({ organization_id: id }: { organization_id: number }): Promise<number> {
    return (await organizationById(reader, id)).id
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
})
