import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { envelope, ok } from '../api/envelope.ts'
import { Filled } from '../api/schema.ts'

const Access = Type.Object({
  base_url: Type.String(),
  organization: Type.Object({ id: Type.Integer(), name: Type.String() }),
  upload_directory: Type.String()
})
export type ApiAccess = Static<typeof Access>

/** How other programs reach the API: shown on the window's page "API access". */
export const apiAccessRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/api_access',
    { config: { access: 'signed_in' }, schema: { hide: true, response: { 200: envelope(Access) } } },
    async ({ caller, socket }) =>
      ok({
        base_url: `http://127.0.0.1:${socket.localPort}`,
        organization: { id: caller.organizationId, name: caller.organizationName },
        upload_directory: app.context.uploadDirectory
      })
  )

  app.post(
    '/api_keys',
    {
      config: { access: 'signed_in' },
      schema: {
        hide: true,
        body: Type.Object({ name: Filled({ maxLength: 100 }) }),
        response: { 200: envelope(Type.Object({ api_key: Type.String() })) }
      }
    },
    async ({ caller, body }) =>
      ok({
        api_key: await app.context.writer.run('createApiKey', {
          organizationId: caller.organizationId,
          userId: caller.userId,
          name: body.name.trim()
        })
      })
  )
}
