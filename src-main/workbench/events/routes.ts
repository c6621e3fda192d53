import type { FastifyPluginAsync } from 'fastify'
import { type Static, Type } from 'typebox'
import { authenticate } from '../../api/accounts/authentication.ts'
import type { Change } from '../../database/command.ts'
import { ApiError } from '../../base/errors.ts'
import type { LiveEvent } from './schema.ts'
import { liveEventOf, RecentChanges } from './recent-changes.ts'

/** Milliseconds for which changes are collected before they are sent: an import makes many a second. */
const gatheringTime = 200
/** A comment keeps the connection from being taken for dead, in milliseconds. */
const heartbeat = 20_000

/** For a window that was loading: the changes of the last `changed_within` milliseconds are sent first. */
const EventsQuery = Type.Object({ changed_within: Type.Optional(Type.Integer({ minimum: 0 })) })
type EventsQuery = Static<typeof EventsQuery>

/** GET /app/v1/events: changes as server-sent events, each an array of `LiveEvent`; null = anything may have changed. */
export const eventRoutes: FastifyPluginAsync = async (app) => {
  const listeners = new Set<(change: Change) => void>()
  const open = new Set<() => void>()
  const recent = new RecentChanges()
  app.context.writer.onChanges((changes) => {
    for (const change of changes) {
      recent.note(change)
      for (const listener of listeners) listener(change)
    }
  })
  // Open connections would delay the end of the server.
  app.addHook('preClose', async () => {
    for (const end of open) end()
  })

  const options = {
    config: { access: 'signed_in' },
    schema: { hide: true, querystring: EventsQuery }
  } as const
  app.get<{ Querystring: EventsQuery }>('/events', options, async (request, reply) => {
    const { organizationId } = request.caller
    reply.hijack()
    const { raw } = reply
    raw.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
    raw.write(': listening\n\n')
    const tell = (changes: LiveEvent[] | null): void => void raw.write(`data: ${JSON.stringify(changes)}\n\n`)
    const missed = recent.within(request.query.changed_within ?? 0, organizationId)
    if (missed?.length !== 0) tell(missed)

    const gathered = new Map<string, LiveEvent>()
    let timer: NodeJS.Timeout | undefined
    const send = (): void => {
      timer = undefined
      tell([...gathered.values()])
      gathered.clear()
    }
    const listener = (change: Change): void => {
      if (change.entity === 'user') void endRevoked()
      if (change.organizationId !== organizationId) return
      const { entity, mailingListId } = change
      gathered.set(`${entity} ${mailingListId}`, liveEventOf(change))
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
