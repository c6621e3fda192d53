import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import { installedPackage } from '../base/installed-package.ts'
import { isSameText } from '../gates/keys.ts'
import { eventsAtOnce, GateContent, type GateStatus, protocolPath } from '../gates/protocol.ts'
import type { HandedOver } from './handed-over.ts'
import { callerOf, RateLimit } from '../http/rate-limit.ts'
import type { GateStore } from './store.ts'

/** Wrong keys of one address. */
const [wrongAtOnce, wrongPerSecond] = [20, 0.1]
/** Bytes of a content, and of an image; an image of the application has 5 MB at most. */
const [maxContent, maxImage] = [16 * 1024 * 1024, 6 * 1024 * 1024]

const ContentParams = Type.Object({ key: Type.String({ pattern: '^[sfp]\\d{1,15}$' }) })
const ImageParams = Type.Object({ key: Type.String({ pattern: '^[0-9a-f]{32}$' }) })
const Secret = Type.Object({ secret: Type.String({ pattern: '^[0-9a-f]{64}$' }) })
const EpochText = Type.String({ pattern: '^[0-9a-f]{32}$' })
const Position = Type.Object({ epoch: EpochText, number: Type.Integer({ minimum: 0 }) })
const EventsQuery = Type.Object({ epoch: EpochText, after: Type.Integer({ minimum: 0 }) })

/** What the application that a gate belongs to asks of it. */
export function serveOwner(
  app: FastifyInstance,
  store: GateStore,
  handedOver: HandedOver,
  key: string
): void {
  const wrong = new RateLimit(wrongAtOnce, wrongPerSecond)
  app.addContentTypeParser(
    /^image\//,
    { parseAs: 'buffer', bodyLimit: maxImage },
    async (_: unknown, body: Buffer) => body
  )
  app.addHook('onRequest', async ({ ip, headers }, reply) => {
    if (isSameText(headers.authorization ?? '', `Bearer ${key}`)) return
    const mayGuess = wrong.take(callerOf(ip), Date.now())
    if (!mayGuess) return refuse(reply, 429, 'too many wrong keys; try again later')
    return refuse(reply, 401, 'the key is not the one of this gate')
  })

  app.get(`${protocolPath}/status`, async (): Promise<GateStatus> => ({
    version: installedPackage().version,
    secret_digest: handedOver.secretDigest,
    state: store.setting('state') ?? '',
    now: Date.now(),
    is_full: store.isFull,
    epochs: store.epochs()
  }))

  app.put<{ Body: Static<typeof Secret> }>(
    `${protocolPath}/secret`,
    { schema: { body: Secret } },
    async ({ body }, reply) => {
      if (handedOver.takeSecret(body.secret)) return reply.code(204).send()
      return refuse(reply, 409, 'this gate belongs to another organization or installation')
    }
  )

  app.get(`${protocolPath}/contents`, async () => handedOver.list())

  app.put<{ Params: Static<typeof ContentParams>; Body: GateContent }>(
    `${protocolPath}/contents/:key`,
    { bodyLimit: maxContent, schema: { params: ContentParams, body: GateContent } },
    async ({ params, body: { links, pages, message } }, reply) => {
      handedOver.putContent(params.key, { links, pages, message })
      return reply.code(204).send()
    }
  )

  app.put<{ Params: Static<typeof ImageParams>; Body: unknown }>(
    `${protocolPath}/images/:key`,
    { bodyLimit: maxImage, schema: { params: ImageParams } },
    async ({ params, body, headers }, reply) => {
      if (!Buffer.isBuffer(body)) return refuse(reply, 415, 'an image is expected')
      handedOver.putImage(params.key, headers['content-type'] ?? '', body)
      return reply.code(204).send()
    }
  )

  app.get<{ Querystring: Static<typeof EventsQuery> }>(
    `${protocolPath}/events`,
    { schema: { querystring: EventsQuery } },
    async ({ query: { epoch, after } }) => ({ events: store.events(epoch, after, eventsAtOnce) })
  )

  app.post<{ Body: Static<typeof Position> }>(
    `${protocolPath}/acknowledge`,
    { schema: { body: Position } },
    async ({ body: { epoch, number } }, reply) => {
      store.acknowledge(epoch, number)
      return reply.code(204).send()
    }
  )
}

function refuse(reply: FastifyReply, status: number, error: string): FastifyReply {
  return reply.code(status).send({ error })
}
