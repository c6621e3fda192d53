import type { FastifyPluginAsync } from 'fastify'
import { authenticate } from '../api/accounts/authentication.ts'
import type { Change } from '../database/command.ts'
import { ApiError } from '../base/errors.ts'

/** What the window is told: something of this kind changed, on this list. */
export interface LiveEvent {
  entity: Change['entity']
  mailing_list_id: number | null
}

/** Changes are gathered for so long before they are sent, in milliseconds: an import makes many a second. */
const gatheringTime = 200
/** A comment keeps the connection from being taken for dead, in milliseconds. */
const heartbeat = 20_000

/** GET /app/v1/events: what changes, as server-sent events. */
export const eventRoutes: FastifyPluginAsync = async (app) => {
  const listeners = new Set<(change: Change) => void>()
  const open = new Set<() => void>()
  app.context.writer.onChanges((changes) => {
    for (const listener of listeners) changes.forEach(listener)
  })
  // Connections that stay open would hold up the end of the server.
  app.addHook('preClose', async () => {
    for (const end of open) end()
  })

  app.get('/events', { config: { access: 'signed_in' }, schema: { hide: true } }, async (request, reply) => {
    const { organizationId } = request.caller
    reply.hijack()
    const { raw } = reply
    raw.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
    raw.write(': listening\n\n')

    const gathered = new Map<string, LiveEvent>()
    let timer: NodeJS.Timeout | undefined
    const send = (): void => {
      timer = undefined
      for (const event of gathered.values()) raw.write(`data: ${JSON.stringify(event)}\n\n`)
      gathered.clear()
    }
    const listener = (change: Change): void => {
      if (change.entity === 'user') void endRevoked()
      if (change.organizationId !== organizationId) return
      const { entity, mailingListId } = change
      gathered.set(`${entity} ${mailingListId}`, { entity, mailing_list_id: mailingListId })
      timer ??= setTimeout(send, gatheringTime)
    }
    const beat = setInterval(() => {
      raw.write(': still here\n\n')
      void endRevoked()
    }, heartbeat)
    const end = (): void => {
      clearInterval(beat)
      clearTimeout(timer)
      listeners.delete(listener)
      open.delete(end)
      raw.end()
    }
    /** Whoever may not see the organization any more hears no more of it. */
    const endRevoked = async (): Promise<void> => {
      try {
        if ((await authenticate(request)).organizationId !== organizationId) end()
      } catch (error) {
        if (!(error instanceof ApiError)) request.log.error(error)
        end()
      }
    }
    listeners.add(listener)
    open.add(end)
    request.raw.on('close', end)
  })
}
