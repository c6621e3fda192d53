import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { envelope, ok } from '../envelope.ts'
import { subscriberCounts } from './queries.ts'
import { SubscriberCounts } from './schema.ts'

export const subscriberCountRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/subscriber_counts',
    { schema: { tags: ['Subscriber counts'], response: { 200: envelope(SubscriberCounts) } } },
    async ({ caller }) =>
      ok(
        await subscriberCounts(app.context.reader, {
          id: caller.organizationId,
          name: caller.organizationName
        })
      )
  )
}
