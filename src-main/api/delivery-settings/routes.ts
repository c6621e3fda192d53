import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { notFound } from '../../base/errors.ts'
import { envelope, ok } from '../../http/envelope.ts'
import { IdParams, wrapped } from '../../http/schema.ts'
import {
  bounceAddress,
  bounceEmailId,
  type BounceEmailRow,
  bounceEmailsOf,
  databaseConnections,
  urlDomainsOf,
  virtualMtasOf
} from './queries.ts'
import {
  BounceEmail,
  BounceEmailInput,
  DatabaseConnection,
  DatabaseConnectionInput,
  UrlDomain,
  UrlDomainInput,
  VirtualMta,
  VirtualMtaInput
} from './schema.ts'

const tags = ['Delivery settings']
const nothing = envelope(Type.Null())

/** /virtual_mtas, /url_domains, /bounce_emails and /database_connections. */
export const deliverySettingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer } = app.context

  app.get(
    '/virtual_mtas',
    {
      config: { access: 'signed_in' },
      schema: { tags, summary: 'List the virtual MTAs', response: { 200: envelope(Type.Array(VirtualMta)) } }
    },
    async ({ caller }) => ok(await virtualMtasOf(reader, caller.organizationId))
  )

  app.post(
    '/virtual_mtas',
    {
      config: { access: 'organization_admin' },
      schema: {
        tags,
        summary: 'Define a virtual MTA',
        body: wrapped('virtual_mta', VirtualMtaInput),
        response: { 200: envelope(VirtualMta) }
      }
    },
    async ({ caller: { organizationId }, body }) =>
      ok(await writer.run('deliverySettings.createVirtualMta', { organizationId, input: body.virtual_mta }))
  )

  app.delete(
    '/virtual_mtas/:id',
    {
      config: { access: 'organization_admin' },
      schema: { tags, summary: 'Delete a virtual MTA', params: IdParams, response: { 200: nothing } }
    },
    async ({ caller: { organizationId }, params }) => {
      await writer.run('deliverySettings.deleteVirtualMta', { organizationId, id: params.id })
      return ok(null)
    }
  )

  app.get(
    '/url_domains',
    {
      config: { access: 'signed_in' },
      schema: { tags, summary: 'List the URL domains', response: { 200: envelope(Type.Array(UrlDomain)) } }
    },
    async ({ caller }) => ok(await urlDomainsOf(reader, caller.organizationId))
  )

  app.post(
    '/url_domains',
    {
      config: { access: 'organization_admin' },
      schema: {
        tags,
        summary: 'Define a URL domain',
        body: wrapped('url_domain', UrlDomainInput),
        response: { 200: envelope(UrlDomain) }
      }
    },
    async ({ caller: { organizationId }, body }) =>
      ok(await writer.run('deliverySettings.createUrlDomain', { organizationId, input: body.url_domain }))
  )

  app.delete(
    '/url_domains/:id',
    {
      config: { access: 'organization_admin' },
      schema: { tags, summary: 'Delete a URL domain', params: IdParams, response: { 200: nothing } }
    },
    async ({ caller: { organizationId }, params }) => {
      await writer.run('deliverySettings.deleteUrlDomain', { organizationId, id: params.id })
      return ok(null)
    }
  )

  app.get(
    '/bounce_emails',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'List the bounce emails',
        response: { 200: envelope(Type.Array(BounceEmail)) }
      }
    },
    async ({ caller }) => ok((await bounceEmailsOf(reader, caller.organizationId)).map(presentBounceEmail))
  )

  app.post(
    '/bounce_emails',
    {
      config: { access: 'organization_admin' },
      schema: {
        tags,
        summary: 'Define a bounce email',
        body: wrapped('bounce_email', BounceEmailInput),
        response: { 200: envelope(BounceEmail) }
      }
    },
    async ({ caller: { organizationId }, body }) =>
      ok(
        presentBounceEmail(
          await writer.run('deliverySettings.createBounceEmail', { organizationId, input: body.bounce_email })
        )
      )
  )

  app.delete(
    '/bounce_emails/:id',
    {
      config: { access: 'organization_admin' },
      schema: {
        tags,
        summary: 'Delete a bounce email',
        params: Type.Object({ id: Type.String({ minLength: 1 }) }),
        response: { 200: nothing }
      }
    },
    async ({ caller: { organizationId }, params }) => {
      const [, id, domainId] = /^(\d{1,15})@(\d{1,15})$/.exec(params.id) ?? []
      if (id === undefined) throw notFound(`bounce email ${params.id}`)
      await writer.run('deliverySettings.deleteBounceEmail', {
        organizationId,
        id: Number(id),
        domainId: Number(domainId)
      })
      return ok(null)
    }
  )

  app.get(
    '/database_connections',
    {
      config: { access: 'system_admin' },
      schema: {
        tags,
        summary: 'List the database connections of the delivery engine',
        response: { 200: envelope(Type.Array(DatabaseConnection)) }
      }
    },
    async () => ok(await databaseConnections(reader))
  )

  app.post(
    '/database_connections',
    {
      config: { access: 'system_admin' },
      schema: {
        tags,
        summary: 'Name a database connection of the delivery engine',
        body: wrapped('database_connection', DatabaseConnectionInput),
        response: { 200: envelope(DatabaseConnection) }
      }
    },
    async ({ body }) =>
      ok(await writer.run('deliverySettings.createDatabaseConnection', body.database_connection))
  )

  app.delete(
    '/database_connections/:id',
    {
      config: { access: 'system_admin' },
      schema: { tags, summary: 'Delete a database connection', params: IdParams, response: { 200: nothing } }
    },
    async ({ params }) => {
      await writer.run('deliverySettings.deleteDatabaseConnection', { id: params.id })
      return ok(null)
    }
  )
}

function presentBounceEmail(row: BounceEmailRow): BounceEmail {
  return {
    id: bounceEmailId(row),
    username: row.username,
    domain: row.domain,
    email: bounceAddress(row)
  }
}
