import swagger from '@fastify/swagger'
import {
  fastify,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchema
} from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError, type ErrorCode, StorageFault, storageFaultOf } from '../base/errors.ts'
import { englishOf, type Refusal, refusal } from '../base/refusal.ts'
import { newestEntry } from '../database/change-log.ts'
import { type Origin, requestBase, requestOrigin } from '../database/origin.ts'
import type { Caller } from './caller.ts'
import type { ApplicationContext } from './context.ts'
import type { FailureEnvelope } from './envelope.ts'
import { refuseForeignPages } from './foreign-pages.ts'
import { readJsonBody } from './json-body.ts'
import type { Access } from './access.ts'
import { authorize, requireDeclaredAccess, whoMayUse } from './permissions.ts'
import { serializerCompiler, withoutWindowOnly } from './serialization.ts'
import { markChecked, validatorCompiler } from './validation.ts'
import { wantsRefusals } from './window-request.ts'

/** The prefix of all API paths (docs/api.md). */
export const apiPrefix = '/ga/api/v2'

/** Bytes of a request body; imports from JSON have a limit of their own. */
const bodyLimit = 4 * 1024 * 1024

/** Characters of a path: it may hold 100 addresses of full length, URI-encoded (docs/api.md, "Requests and answers"). */
const maxPathLength = 256 * 1024

/**
 * Bytes of a request's head: the path, and the cookies that programs on other ports of this host set. Cookies mean nothing here, but
 * browsers send up to 180 of 4 kB each with every request, and a page must still load then.
 */
const maxHeaderSize = 1024 * 1024

/**
 * Answers carry the id of the last entry of the change log, and a window sends it back with a change: it is
 * refused with 409 if the record has a later entry.
 */
const lastChangeHeader = 'x-last-change'
const sinceHeader = 'x-unchanged-since'

/** Standard error: standard output is for the one line of --json. */
const logger = { level: 'warn', stream: process.stderr }

export interface Served {
  /** Registers all routes, which declare who may use them. */
  register: (app: FastifyInstance) => Promise<void>
  /** Finds out who makes a request. @throws ApiError not_authorized */
  authenticate: (request: FastifyRequest) => Promise<Caller>
}

/** The HTTP server, before it listens. */
export async function createServer(
  context: ApplicationContext,
  { register, authenticate }: Served
): Promise<FastifyInstance> {
  const app = fastify({
    bodyLimit,
    logger,
    rewriteUrl: ({ url = '/', headers }) => versionedUrl(url, headers['x-version']),
    // A request without a Host header is refused below, with an envelope.
    http: { maxHeaderSize, requireHostHeader: false },
    routerOptions: { maxParamLength: maxPathLength, ignoreTrailingSlash: true },
    genReqId: () => crypto.randomUUID(),
    // Fastify's own has no envelope.
    return503OnClosing: false,
    frameworkErrors: answerUnreadablePath,
    clientErrorHandler: answerMalformed
  })
  app.decorate('context', context)
  app.decorateRequest('caller')
  app.decorateRequest('longTexts')
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(answerError)
  acceptJsonWhateverItsType(app)
  requireDeclaredAccess(app)
  const methods = rememberMethods(app)
  refuseWhileClosing(app)

  app.addHook('onRequest', async ({ url, raw: { headers } }, reply) => {
    if (url.length > maxPathLength) {
      void reply.code(431)
      throw new ApiError('invalid_request', refusal('path_too_long'))
    }
    // The Content-Type is ignored: every body is read as JSON (docs/api.md, "Requests and answers").
    const hasBody = headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined
    if (hasBody) headers['content-type'] = 'application/json'
    else delete headers['content-type']
  })
  app.addHook('onSend', async (request, reply) => {
    void reply.header('X-Content-Type-Options', 'nosniff')
    // JSON answers are for one caller and one moment.
    const type = String(reply.getHeader('Content-Type') ?? '')
    if (type.startsWith('application/json') && !reply.hasHeader('Cache-Control')) {
      void reply.header('Cache-Control', 'no-store')
    }
    // The unread rest of the body would be taken for the next request.
    if (!request.raw.complete) void reply.header('Connection', 'close')
  })
  app.addHook('onRequest', async (request, reply) => {
    const { access } = request.routeOptions.config
    // The token in the link serves as the key, and messages are also read on web pages.
    if (access === 'message_link') return
    refuseForeignPages(request, reply)
    if (request.is404 || access === 'public') return
    request.caller = await authenticate(request)
    authorize(request)
    if (request.caller.mustAgree && !request.routeOptions.config.beforeTerms) {
      throw new ApiError('not_authorized', refusal('terms_not_agreed'))
    }
  })
  // Set after the body was read: the events of reading it lose the async context of a hook.
  app.addHook('preHandler', ({ caller, routeOptions, headers }, _reply, done) => {
    const origin = originOf(caller, routeOptions.config.access)
    const lastChange = Number(headers[sinceHeader])
    const go = Number.isSafeInteger(lastChange) ? () => requestBase.run({ lastChange }, done) : done
    if (origin) requestOrigin.run(origin, go)
    else go()
  })
  // Read before the handler runs, so that the answer may be newer than this position but never older. Only
  // windows need it.
  app.addHook('preHandler', ({ caller, method }, reply, done) => {
    if (method !== 'GET' || caller?.apiKeyId !== null) return done()
    newestEntry(context.reader).then((newest) => {
      void reply.header(lastChangeHeader, newest)
      done()
    }, done)
  })
  app.setNotFoundHandler(async (request, reply) => {
    void reply.type('application/json')
    if (isOtherVersion(request)) {
      return reply.code(200).send(failure('invalid_request', 'only the versions 1 and 2 are available'))
    }
    await authenticate(request)
    return answerUnknownPath(request, reply, methods)
  })

  await app.register(swagger, {
    openapi: {
      info: { title: 'Listwright', description: 'The email marketing API, version 2', version: '2' },
      components: { securitySchemes: { key: { type: 'http', scheme: 'basic' } } },
      security: [{ key: [] }]
    },
    transform: ({ schema, url, route }) => ({ schema: withAccess(schema, route.config?.access), url })
  })
  await register(app)
  return app
}

/** Returns the origin of a request; null = an anonymous one. */
function originOf(caller: Caller | undefined, access: Access | undefined): Origin | null {
  if (access === 'message_link') return { via: 'link', causeId: null, userId: null }
  if (!caller) return null
  const { userId, apiKeyId } = caller
  return { via: apiKeyId === null ? 'window' : 'api_key', causeId: apiKeyId, userId }
}

function withAccess(schema: FastifySchema, access: Access | undefined): FastifySchema {
  const sentence = whoMayUse(access)
  const documented = withoutWindowOnly(schema) as FastifySchema
  return sentence === undefined ? documented : { ...documented, description: sentence }
}

/** `/ga/api/…` and `/ga/api/v1/…` are answered as version 2, unless the header asks for another one than 1 or 2 (docs/api.md, "Requests and answers"). */
function versionedUrl(url: string, version: string | string[] = '1'): string {
  const isKnown = version === '1' || version === '2'
  // Version 1 in the path is answered as it is in the header.
  const asked = url.replace(/^\/ga\/api\/v1(?=\/|$)/, '/ga/api')
  if (!isKnown || !/^\/ga\/api\//.test(asked) || /^\/ga\/api\/v\d+(\/|$)/.test(asked)) return url
  return apiPrefix + asked.slice('/ga/api'.length)
}

/** Answers what Fastify refuses before routing, such as a lone percent sign. */
function answerUnreadablePath(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  const body = JSON.stringify(failure('invalid_request', `the path cannot be read: ${error.message}`))
  reply.hijack()
  reply.raw
    .writeHead(error.statusCode ?? 400, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      Connection: 'close'
    })
    .end(body)
}

const malformed: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'the path and the headers of the request are too long'
  ],
  HPE_INVALID_CHUNK_SIZE: [
    '400 Bad Request',
    'the body of the request is not in the chunks that it announces'
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request did not arrive in time']
}

/** Answers what Node refuses before there is a request: malformed ones, or too large headers. */
function answerMalformed(
  error: NodeJS.ErrnoException,
  socket: Socket & { _httpMessage?: { headersSent: boolean } | null }
): void {
  // Node stores the current answer there. If its headers are sent, nothing else may be written.
  const isAnswering = socket._httpMessage?.headersSent ?? false
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) return void socket.destroy()
  const [status, message] = malformed[error.code ?? ''] ?? ['400 Bad Request', 'the request is not HTTP']
  const body = JSON.stringify(failure('invalid_request', message))
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`
  )
}

/** Requests under way are answered. What follows them on the same connection would delay the end, and is refused. */
function refuseWhileClosing(app: FastifyInstance): void {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onRequest', async (_request, reply) => {
    if (!isClosing) return
    void reply.code(503)
    throw new ApiError('internal_error', refusal('closing'))
  })
}

/** Clients in use send JSON under other content types (docs/api.md, "Requests and answers"). */
function acceptJsonWhateverItsType(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest, body: IncomingMessage) => {
    const { bodyLimit: limit, config, schema } = request.routeOptions
    const { value, longTexts, isChecked } = await readJsonBody(body, {
      limit,
      schema: schema?.body,
      ...config.body
    })
    request.longTexts = longTexts
    if (isChecked) markChecked(value)
    return value
  })
}

/** Refusals are answered with 200 and success false (docs/api.md, "Requests and answers"). */
function statusOf(code: ErrorCode, isSignedIn: boolean): number {
  if (code === 'not_authorized') return isSignedIn ? 403 : 401
  if (code === 'conflict') return 409
  return code === 'internal_error' ? 500 : 200
}

/** The type says that every request has a caller, but one without credentials has none. */
function isSignedIn(request: { caller?: Caller }): boolean {
  return request.caller !== undefined
}

function answerError(
  error: FastifyError | ApiError,
  request: FastifyRequest,
  reply: FastifyReply
): FastifyReply {
  // The schema of a route's answer describes success; a failure is written as it is.
  void reply.serializer(JSON.stringify).type('application/json')
  if (error instanceof ApiError) {
    // Fastify sets status 400 on errors of its schema validation.
    const isMarked = 'statusCode' in error && !('validationContext' in error)
    const chosen = isMarked ? Number(error.statusCode) : reply.statusCode
    void reply.code(chosen >= 400 ? chosen : statusOf(error.code, isSignedIn(request)))
    // Without this condition browsers would show their own dialog for a password.
    if (reply.statusCode === 401 && !request.headers['sec-fetch-site']) {
      void reply.header('WWW-Authenticate', 'Basic realm="Listwright"')
    }
    return reply.send(refusedFor(request, error.code, error.refusals, error.data))
  }
  const storage = storageFaultOf(error)
  if (storage) {
    // The writer reports damage that it finds itself. Its StorageFault may also be a refusal to write.
    const isOfWriter = error instanceof StorageFault
    if (storage.kind === 'damaged' && !isOfWriter) request.server.context.integrity.report()
    const reason =
      storage.kind === 'damaged' ? storage.refusal : refusal('and_try_again', { fault: storage.refusal })
    return reply.code(500).send(refusedFor(request, 'internal_error', [reason]))
  }
  const status = error.statusCode ?? 500
  if (status < 500) {
    return reply.code(status).send(refusedFor(request, 'invalid_request', [clientRefusal(error)]))
  }
  // The client has disconnected, so no one receives an answer. Work cancelled for this reason is not a fault.
  if (reply.raw.destroyed) return reply.code(499).send()
  request.log.error(error)
  const { id } = request
  const reason = refusal('internal_error', { id })
  return reply.code(500).send(refusedFor(request, 'internal_error', [reason], { request_id: id }))
}

function clientRefusal(error: FastifyError): Refusal {
  return error.statusCode === 413 ? refusal('body_too_large') : refusal('said', { text: error.message })
}

function refusedFor(
  request: FastifyRequest,
  code: ErrorCode,
  refusals: readonly Refusal[],
  data: unknown = null
): FailureEnvelope {
  const envelope = failure(code, refusals.map(englishOf).join(', '), data)
  return wantsRefusals(request) ? { ...envelope, faults: refusals } : envelope
}

function failure(code: ErrorCode, message: string, data: unknown = null): FailureEnvelope {
  return { success: false, data, error_code: code, error_message: message }
}

type RouteMethods = { pattern: RegExp; method: string }[]

function rememberMethods(app: FastifyInstance): RouteMethods {
  const routes: RouteMethods = []
  app.addHook('onRoute', ({ url, method }) => {
    if (!url.startsWith(apiPrefix)) return
    const pattern = new RegExp(`^${url.replaceAll(/:[a-z_]+/g, '[^/]+')}/?$`)
    for (const name of [method].flat()) routes.push({ pattern, method: name })
  })
  return routes
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?')[0] ?? ''
}

/** True if a path is one of the API in an unsupported version (docs/api.md, "Requests and answers"). */
function isOtherVersion(request: FastifyRequest): boolean {
  const path = pathOf(request)
  return path.startsWith('/ga/api/') && path !== apiPrefix && !path.startsWith(`${apiPrefix}/`)
}

function answerUnknownPath(request: FastifyRequest, reply: FastifyReply, routes: RouteMethods): FastifyReply {
  const path = pathOf(request)
  const methods = routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
  if (methods.length > 0) {
    return reply
      .code(405)
      .header('Allow', [...new Set(methods)].join(', '))
      .send(failure('invalid_request', `${request.method} is not available for ${path}`))
  }
  return reply.code(404).send(failure('not_found', `there is nothing at ${path}`))
}
