import type { FastifyReply } from 'fastify'

/** Aborted when the caller went away: work that nobody waits for any more ends. */
export function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => controller.abort())
  return controller.signal
}
