import { ok } from '../../http/envelope.ts'
import { presentSeedList, seedListById, seedListsOf } from './queries.ts'
import { seedListEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

export const seedListRoutes = serveEndpoints(seedListEndpoints, ({ reader, writer }) => ({
  'GET /seed_lists': async ({ caller }) => {
    const rows = await seedListsOf(reader, caller.organizationId)
    return ok(rows.map((row) => presentSeedList(row, caller.timeZone)))
  },

  'GET /seed_lists/:id': async ({ caller, params }) =>
    ok(presentSeedList(await seedListById(reader, caller.organizationId, params.id), caller.timeZone)),

  'POST /seed_lists': async ({ caller, body }) => {
    const { organizationId, timeZone } = caller
    const row = await writer.run('seedLists.create', { organizationId, seedList: body.seed_list })
    return ok(presentSeedList(row, timeZone))
  },

  'PUT /seed_lists/:id': async ({ caller, params, body }) => {
    const { organizationId, timeZone } = caller
    const row = await writer.run('seedLists.update', {
      organizationId,
      id: params.id,
      changes: body.seed_list
    })
    return ok(presentSeedList(row, timeZone))
  },

  'DELETE /seed_lists/:id': async ({ caller, params }) => {
    await writer.run('seedLists.delete', { organizationId: caller.organizationId, id: params.id })
    return ok(null)
  }
}))
