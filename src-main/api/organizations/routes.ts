import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, ok } from '../../http/envelope.ts'
import { IdParams, wrapped } from '../../http/schema.ts'
import { organizationById, organizations, presentOrganization } from './queries.ts'
import { Organization, OrganizationChanges, OrganizationInput } from './schema.ts'

const tags = ['Organizations']

export const organizationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer } = app.context

  app.get(
    '/organizations',
    {
      config: { access: 'system_admin' },
      schema: {
        tags,
        summary: 'List the organizations',
        response: { 200: envelope(Type.Array(Organization)) }
      }
    },
    async () => ok((await organizations(reader)).map(presentOrganization))
  )

  app.get(
    '/organizations/:id',
    {
      config: { access: 'system_admin' },
      schema: {
        tags,
        summary: 'Read an organization',
        params: IdParams,
        response: { 200: envelope(Organization) }
      }
    },
    async ({ params }) => ok(presentOrganization(await organizationById(reader, params.id)))
  )

  app.post(
    '/organizations',
    {
      config: { access: 'system_admin' },
      schema: {
        tags,
        summary: 'Create an organization',
        body: wrapped('organization', OrganizationInput),
        response: { 200: envelope(Organization) }
      }
    },
    async ({ body }) => ok(presentOrganization(await writer.run('organizations.create', body.organization)))
  )

  app.put(
    '/organizations/:id',
    {
      config: { access: 'system_admin' },
      schema: {
        tags,
        summary: 'Change an organization',
        params: IdParams,
        body: wrapped('organization', OrganizationChanges),
        response: { 200: envelope(Organization) }
      }
    },
    async ({ params, body }) => {
      const row = await writer.run('organizations.update', { id: params.id, changes: body.organization })
      return ok(presentOrganization(row))
    }
  )
}
