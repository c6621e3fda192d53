import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'

/**
 * Refuses what a web page elsewhere could send through the user's browser: a name that was rebound to 127.0.0.1 (Host),
 * and requests from other origins (Origin, Sec-Fetch-Site).
 * @throws ApiError not_authorized
 */
export function refuseForeignPages(request: FastifyRequest, reply: FastifyReply): void {
  const port = request.socket.localPort ?? 0
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`]
  const { host = '', origin } = request.headers
  if (!hosts.includes(host)) {
    void reply.code(403)
    throw new ApiError('not_authorized', refusal('other_host', { port }))
  }
  const site = request.headers['sec-fetch-site']
  // The page itself contains no data. A local file that leads to it counts as another site.
  const opensWindow = request.method === 'GET' && request.routeOptions.url === '/' && isNavigation(request)
  const isForeign =
    origin === undefined
      ? (site === 'cross-site' && !opensWindow) ||
        (site === 'same-site' && request.headers['sec-fetch-mode'] !== 'navigate')
      : !hosts.some((own) => origin === `http://${own}`)
  if (isForeign) {
    void reply.code(403)
    throw new ApiError('not_authorized', refusal('other_web_page'))
  }
}

function isNavigation({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
}
