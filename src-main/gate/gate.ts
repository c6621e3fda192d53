import fastify, { type FastifyInstance } from 'fastify'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { randomBytes } from 'node:crypto'
import { messageOf } from '../base/errors.ts'
import { makeDirectory } from '../base/durable.ts'
import { EventLog } from './event-log.ts'
import { HandedOver } from './handed-over.ts'
import { serveOwner } from './owner-routes.ts'
import { servePublicLinks } from './public-routes.ts'
import { GateStore } from './store.ts'

export interface GateOptions {
  dataDirectory: string
  /** 0 = any free one. */
  port: number
  /** The address to listen on; 127.0.0.1 behind a server that terminates TLS. */
  host: string
  /** Files in PEM; null = TLS is terminated before. */
  tls: { certificate: string; key: string } | null
  /** The key that the application uses; left out = the stored one, or a new one. */
  key?: string
}

export interface Gate {
  /** Without a path. */
  address: string
  key: string
  /** True if the key was made at this start. */
  hasNewKey: boolean
  close(): Promise<void>
}

/** Open connections; those beyond it are closed. */
const mostConnections = 4000
/** Milliseconds. */
const [headersWithin, requestWithin, idleFor] = [10_000, 30_000, 10_000]
const housekeepingEvery = 3_600_000

/** Starts a gate, which belongs to the first application that hands it something over. @throws Error with a sentence for the administrator */
export async function startGate({ dataDirectory, port, host, tls, key: given }: GateOptions): Promise<Gate> {
  process.umask(0o077)
  await makeDirectory(dataDirectory)
  const store = new GateStore(dataDirectory)
  try {
    const known = given ?? store.setting('key')
    const key = known ?? randomBytes(24).toString('base64url')
    store.setSetting('key', key)
    const app = await serve(store, key, tls)
    const address = await app.listen({ host, port })
    const housekeeping = setInterval(() => deleteOldEvents(store), housekeepingEvery).unref()
    const close = async (): Promise<void> => {
      clearInterval(housekeeping)
      await app.close()
      store.close()
    }
    return { address, key, hasNewKey: known === null, close }
  } catch (error) {
    store.close()
    throw error
  }
}

async function serve(store: GateStore, key: string, tls: GateOptions['tls']): Promise<FastifyInstance> {
  const handedOver = new HandedOver(store)
  const log = new EventLog(store)
  const https = tls && { cert: await readFile(tls.certificate), key: await readFile(tls.key) }
  const app = fastify({
    ...(https && { https }),
    // A server that terminates TLS adds the address that it was called from at the end.
    trustProxy: tls ? false : (address: string, hop: number) => hop === 0 && isNear(address),
    bodyLimit: 4096,
    requestTimeout: requestWithin,
    keepAliveTimeout: idleFor,
    http: { headersTimeout: headersWithin },
    routerOptions: { maxParamLength: 128 },
    forceCloseConnections: true
  }) as unknown as FastifyInstance
  app.server.maxConnections = mostConnections
  app.addHook('onSend', async (_request, reply) => {
    void reply.header('X-Content-Type-Options', 'nosniff')
  })
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500
    if (status >= 500) process.stderr.write(`The gate failed at a request: ${messageOf(error)}\n`)
    void reply.code(status).send({ error: status < 500 ? error.message : 'the gate failed' })
  })
  app.get('/gate/v1/health', async (_request, reply) => reply.code(204).send())
  await app.register(async (owner) => serveOwner(owner, store, handedOver, key))
  await app.register(async (links) => servePublicLinks(links, handedOver, log))
  return app
}

/** True for addresses of this computer and of private networks. */
function isNear(address: string): boolean {
  if (isIP(address) === 0) return false
  return /^(::1$|::ffff:|)(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)|^::1$|^f[cd]/i.test(address)
}

/** One step at a time: visitors wait for each. */
function deleteOldEvents(store: GateStore): void {
  try {
    if (store.deleteOld(Date.now())) setTimeout(() => deleteOldEvents(store), 50).unref()
  } catch (error) {
    process.stderr.write(`The gate could not delete old events: ${messageOf(error)}\n`)
  }
}
