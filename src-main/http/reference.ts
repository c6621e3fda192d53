import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { fastify } from 'fastify'

/**
 * The API reference under /docs. Its page is 4 MB of script that most starts never show, so a server of its own is made
 * for it when it is first asked for, behind the authentication of this one.
 */
export const referenceRoutes: FastifyPluginAsync = async (app) => {
  let reference: Promise<FastifyInstance> | undefined
  app.addHook('onClose', async () => void (await (await reference)?.close()))
  for (const path of ['/docs', '/docs/*']) {
    app.get(path, { config: { access: 'signed_in' }, schema: { hide: true } }, async (request, reply) => {
      reference ??= createReference(app.swagger())
      const server = await reference
      reply.hijack()
      server.routing(request.raw, reply.raw)
    })
  }
}

async function createReference(document: ReturnType<FastifyInstance['swagger']>): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const app = fastify()
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      content: document,
      withDefaultFonts: false,
      // What would call a service elsewhere.
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      hideClientButton: true,
      telemetry: false
    }
  })
  await app.ready()
  return app
}
