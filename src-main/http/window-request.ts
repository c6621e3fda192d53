import type { FastifyRequest } from 'fastify'

/**
 * True for a request of the window or of the command line, which get refusals as data: they show them at the fields and in the
 * user's language.
 */
export function isOfWindow({ headers, url }: FastifyRequest): boolean {
  return url.startsWith('/app/v1/') || /^Bearer /i.test(headers.authorization ?? '')
}
