import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, ok } from '../../http/envelope.ts'
import { IdParams, wrapped } from '../../http/schema.ts'
import { presentSeedList, seedListById, seedListsOf } from './queries.ts'
import { SeedList, SeedListChanges, SeedListInput } from './schema.ts'

const tags = ['Seed lists']

export const seedListRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer } = app.context

  app.get(
    '/seed_lists',
    {
      config: { access: 'signed_in' },
      schema: { tags, summary: 'List the seed lists', response: { 200: envelope(Type.Array(SeedList)) } }
    },
    async ({ caller }) => {
      const rows = await seedListsOf(reader, caller.organizationId)
      return ok(rows.map((row) => presentSeedList(row, caller.timeZone)))
    }
  )

  app.get(
    '/seed_lists/:id',
    {
      config: { access: 'signed_in' },
      schema: { tags, summary: 'Read a seed list', params: IdParams, response: { 200: envelope(SeedList) } }
    },
    async ({ caller, params }) =>
      ok(presentSeedList(await seedListById(reader, caller.organizationId, params.id), caller.timeZone))
  )

  app.post(
    '/seed_lists',
    {
      config: { access: 'seed_list.create' },
      schema: {
        tags,
        summary: 'Create a seed list',
        body: wrapped('seed_list', SeedListInput),
        response: { 200: envelope(SeedList) }
      }
    },
    async ({ caller, body }) => {
      const { organizationId, timeZone } = caller
      const row = await writer.run('seedLists.create', { organizationId, seedList: body.seed_list })
      return ok(presentSeedList(row, timeZone))
    }
  )

  app.put(
    '/seed_lists/:id',
    {
      config: { access: 'seed_list.update' },
      schema: {
        tags,
        summary: 'Change a seed list',
        params: IdParams,
        body: wrapped('seed_list', SeedListChanges),
        response: { 200: envelope(SeedList) }
      }
    },
    async ({ caller, params, body }) => {
      const { organizationId, timeZone } = caller
      const row = await writer.run('seedLists.update', {
        organizationId,
        id: params.id,
        changes: body.seed_list
      })
      return ok(presentSeedList(row, timeZone))
    }
  )

  app.delete(
    '/seed_lists/:id',
    {
      config: { access: 'seed_list.delete' },
      schema: {
        tags,
        summary: 'Delete a seed list',
        params: IdParams,
        response: { 200: envelope(Type.Null()) }
      }
    },
    async ({ caller, params }) => {
      await writer.run('seedLists.delete', { organizationId: caller.organizationId, id: params.id })
      return ok(null)
    }
  )
}
