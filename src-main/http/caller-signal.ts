import type { FastifyReply } from 'fastify'

/** Returns a signal that aborts when the client disconnects, so that work for it ends. */
export function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => controller.abort())
  return controller.signal
}
