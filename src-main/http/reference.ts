import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { fastify } from 'fastify'
import type { Caller } from './caller.ts'
import { asksForPage, pageHeaders } from './pages.ts'

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="data:," />
    <title>Listwright API reference</title>
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/js/scalar.js"></script>
    <script src="/docs/js/show.js"></script>
  </body>
</html>
`

/** Shows the document with the session of the window that opened the page. What would call a service elsewhere is turned off. */
const script = `const session = localStorage.getItem('listwright-session')
const headers = session === null ? {} : { Authorization: 'Bearer ' + session }
fetch('/docs/openapi.json', { credentials: 'omit', headers }).then(async (answer) => {
  if (!answer.ok) {
    document.body.textContent = 'Sign in to Listwright in this browser, then load this page again.'
    return
  }
  Scalar.createApiReference('#reference', {
    content: await answer.json(),
    withDefaultFonts: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    telemetry: false
  })
})
`

interface ReferenceOptions {
  /** Finds out who makes a request. @throws ApiError not_authorized */
  authenticate: (request: FastifyRequest) => Promise<Caller>
}

/**
 * The API reference under /docs. Its page and scripts hold no data; the document asks for a key or a session. The scripts are 4 MB that most
 * starts never show, so a server of its own is made for them and the document when they are first asked for.
 */
export const referenceRoutes: FastifyPluginAsync<ReferenceOptions> = async (app, { authenticate }) => {
  let library: Promise<FastifyInstance> | undefined
  app.addHook('onClose', async () => void (await (await library)?.close()))
  async function sendFromLibrary(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    library ??= createLibrary(app.swagger())
    const server = await library
    reply.hijack()
    reply.raw.setHeader('X-Content-Type-Options', 'nosniff')
    server.routing(request.raw, reply.raw)
  }

  const files = { config: { access: 'public' }, schema: { hide: true } } as const
  app.get('/docs', files, async (request, reply) => {
    // Programs without a key are refused, as for every other call.
    if (!asksForPage(request)) await authenticate(request)
    return reply.headers(pageHeaders).type('text/html; charset=utf-8').send(page)
  })
  app.get('/docs/js/show.js', files, async (_request, reply) =>
    reply.headers(pageHeaders).type('application/javascript; charset=utf-8').send(script)
  )
  app.get('/docs/js/scalar.js', files, sendFromLibrary)
  const document = { config: { access: 'signed_in' }, schema: { hide: true } } as const
  for (const name of ['openapi.json', 'openapi.yaml']) app.get(`/docs/${name}`, document, sendFromLibrary)
}

async function createLibrary(document: ReturnType<FastifyInstance['swagger']>): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const app = fastify()
  await app.register(scalar, { routePrefix: '/docs', configuration: { content: document } })
  await app.ready()
  return app
}
