import type { FastifyRequest } from 'fastify'

/**
 * True for requests of the window and of the command line, which get refusals as data and word them in the user's
 * language. Programs get what the API's documentation says.
 */
export function wantsRefusals({ headers, url }: FastifyRequest): boolean {
  return url.startsWith('/app/v1/') || /^Bearer /i.test(headers.authorization ?? '')
}
