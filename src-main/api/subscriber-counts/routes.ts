import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, ok } from '../../http/envelope.ts'
import { organizationById } from '../organizations/queries.ts'
import { subscriberCounts } from './queries.ts'
import { SubscriberCounts } from './schema.ts'

const tags = ['Subscriber counts']

export const subscriberCountRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader } = app.context

  app.get(
    '/subscriber_counts',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'Count the subscribers per status and list',
        response: { 200: envelope(SubscriberCounts) }
      }
    },
    async ({ caller: { organizationId: id, organizationName: name } }) =>
      ok(await subscriberCounts(reader, { id, name }))
  )

  app.get(
    '/organization/:organization_id/subscriber_counts',
    {
      config: { access: 'system_admin' },
      schema: {
        tags,
        summary: 'Count the subscribers of an organization',
        params: Type.Object({ organization_id: Type.Integer({ minimum: 1 }) }),
        response: { 200: envelope(SubscriberCounts) }
      }
    },
    async ({ params }) =>
      ok(await subscriberCounts(reader, await organizationById(reader, params.organization_id)))
  )
}
