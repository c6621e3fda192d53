import { isIP } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { messageOf } from '../base/errors.ts'
import { isProgram } from '../api/statistics/machines.ts'
import { readToken, type TokenPurpose } from '../api/subscribers/tokens.ts'
import { openText, sealText } from '../gates/keys.ts'
import {
  maxEventData,
  type SealedForm,
  type SealedMessage,
  type SealedPages,
  unsubscribeMark,
  webVersionMark
} from '../gates/protocol.ts'
import { preferencesQuery, readPreferences } from '../public-pages/preferences.ts'
import { isComplete, readSignUp } from '../public-pages/sign-up.ts'
import { messagePolicy, pageLanguage, pagePolicy, renderPage } from '../public-pages/render.ts'
import { isUndo, type PageName, publicPage, undoWithin } from '../public-pages/texts.ts'
import { EventLog, GateBusy } from './event-log.ts'
import { callerOf, RateLimit } from '../http/rate-limit.ts'
import type { HandedOver } from './handed-over.ts'
import type { NewEvent } from './store.ts'
import { targetOf } from './targets.ts'

const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** A link is followed by its recipient, and by programs on the way: more often than this within a minute it counts nothing. */
const [countedAtOnce, countedPerSecond] = [20, 20 / 60]
const linksCountedApart = 2 ** 17
/** Requests of one address: mail services send those of many people. */
const [requestsAtOnce, requestsPerSecond] = [2000, 200]
/** Requests of one address with links that are not ours. */
const [forgedAtOnce, forgedPerSecond] = [60, 1]
/** Sign-ups of one address: a school or an office has one for many people. */
const [signUpsAtOnce, signUpsPerSecond] = [10, 10 / 600]
/** Bytes of a sign-up. */
const maxSignUpBytes = 64 * 1024
/** Unsubscribes that are remembered so that they can be undone. */
const mostUndoable = 10_000
/** A failing disk is reported once in so many milliseconds. */
const reportedEvery = 60_000
/** Seconds after which a mail service may try again. */
const [busyFor, limitedFor] = [60, 10]

interface Params {
  token: string
  link: string
  key: string
}
type Query = { to?: unknown; s?: unknown }
type Request = FastifyRequest<{ Params: Params; Querystring: Query }>

/** What links in messages lead to. Nothing here reads or writes anything but events. */
export function servePublicLinks(app: FastifyInstance, handedOver: HandedOver, log: EventLog): void {
  const counted = new RateLimit(countedAtOnce, countedPerSecond, linksCountedApart)
  const requests = new RateLimit(requestsAtOnce, requestsPerSecond)
  const forged = new RateLimit(forgedAtOnce, forgedPerSecond)
  const signUps = new RateLimit(signUpsAtOnce, signUpsPerSecond)
  const undoable = new Map<string, number>()
  let reportedAt = 0

  // Whatever a mail program posts is a short text; what it says beside the address decides nothing but an undo.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, async (_: unknown, body: string) => body)
  app.addHook('onRequest', async ({ ip }, reply) => {
    if (!requests.take(callerOf(ip), Date.now())) return tooMany(reply)
  })

  app.get<{ Params: Params }>('/o/:token', async (request, reply) => {
    const named = namedBy(request, 'open')
    if (named) await record(request, request.method === 'HEAD' ? visit('open', 'HEAD') : happening('open'))
    else if (isFlooding(request)) return tooMany(reply)
    return reply
      .code(named ? 200 : 404)
      .type('image/gif')
      .header('Cache-Control', 'no-store')
      .send(pixel)
  })

  app.get<{ Params: Params; Querystring: Query }>('/c/:link/:token', async (request, reply) => {
    const { link, token } = request.params
    const named = namedBy(request, 'click')
    const target = named && targetOf(handedOver, { link, token, sliceId: named.sliceId, ...request.query })
    if (!named || target === null) return refuse(request, reply, 'unknownLink')
    await record(request, request.method === 'HEAD' ? visit('click', 'HEAD') : happening('click', link))
    return reply.header('Cache-Control', 'no-store').header('Referrer-Policy', 'no-referrer').redirect(target)
  })

  app.get<{ Params: Params }>('/i/:key', async (request, reply) => {
    const image = handedOver.image(request.params.key)
    if (!image) return refuse(request, reply, 'noImage')
    return reply
      .type(image.media_type)
      .headers({
        // The key is a digest of the picture, so what it names never changes.
        'Cache-Control': 'public, max-age=31536000, immutable',
        'Content-Security-Policy': "default-src 'none'"
      })
      .send(image.bytes)
  })

  app.get<{ Params: Params }>('/w/:token/:key', async (request, reply) => {
    const { token, key } = request.params
    const named = namedBy(request, 'view')
    const sealed = named && handedOver.content(`s${named.sliceId}`)?.message
    const opened = sealed ? openText(key, sealed) : null
    if (!named || opened === null) return refuse(request, reply, 'noMessage')
    await record(request, visit('view', 'web version'))
    const { type, body } = JSON.parse(opened) as SealedMessage
    const unsubscribe = `/u/${handedOver.tokenFor('unsubscribe', named, token)}/${key}`
    return reply
      .type(`${type}; charset=utf-8`)
      .header('Content-Security-Policy', messagePolicy)
      .send(body.replaceAll(unsubscribeMark, unsubscribe).replaceAll(webVersionMark, `/w/${token}/${key}`))
  })

  // Programs open all links of a message to check them, which must not unsubscribe: that takes a POST.
  app.get<{ Params: Params }>('/u/:token/:key', async (request, reply) => {
    const named = namedBy(request, 'unsubscribe')
    if (!named) return refuse(request, reply, 'notOnAList')
    await record(request, visit('unsubscribe', 'unsubscribe'))
    const page = asksForPreferences(request) ? 'preferences' : 'unsubscribe'
    return sendPage(request, reply, `s${named.sliceId}`, page)
  })

  // RFC 8058: mail services send this request when their user unsubscribes.
  app.post<{ Params: Params }>('/u/:token/:key', async (request, reply) => {
    const { token } = request.params
    const named = namedBy(request, 'unsubscribe')
    if (!named) return refuse(request, reply, 'notOnAList')
    const content = `s${named.sliceId}`
    // The sample in a seed list's message, or in a web version, is nobody's.
    if (named.subscriberId === 0) return sendPage(request, reply, content, 'unsubscribed')
    if (!counted.take(`post ${token}`, Date.now())) return tooMany(reply)
    if (asksForPreferences(request)) {
      const data = sealText(request.params.key, JSON.stringify(readPreferences(request.body) ?? {}))
      if (!(await recordSurely(request, { ...happening('preferences'), data }))) return busy(request, reply)
      return sendPage(request, reply, content, 'preferencesSaved')
    }
    const undoes = isUndo(request.body)
    if (undoes && Date.now() - (undoable.get(token) ?? 0) > undoWithin) {
      return sendPage(request, reply, content, 'tooLate')
    }
    if (!(await recordSurely(request, happening(undoes ? 'resubscribe' : 'unsubscribe'))))
      return busy(request, reply)
    if (undoes) undoable.delete(token)
    // A mail service shows no page.
    else if (!isOneClick(request.body)) rememberUndoable(token)
    return sendPage(request, reply, content, undoes ? 'resubscribed' : 'unsubscribed')
  })

  app.get<{ Params: Params }>('/s/:token/:key', async (request, reply) => {
    const named = namedBy(request, 'confirm')
    if (!named) return refuse(request, reply, 'gone')
    return sendPage(request, reply, `f${named.sliceId}`, 'confirm')
  })

  app.post<{ Params: Params }>('/s/:token/:key', async (request, reply) => {
    const named = namedBy(request, 'confirm')
    if (!named) return refuse(request, reply, 'gone')
    if (!(await recordSurely(request, happening('confirm')))) return busy(request, reply)
    return sendPage(request, reply, `f${named.sliceId}`, 'confirmed')
  })

  app.get<{ Params: Params }>('/f/:token/:key', async (request, reply) => {
    const form = formOf(request)
    if (!form) return refuse(request, reply, 'unknownLink')
    return sendForm(request, reply, form, 'signUp')
  })

  app.post<{ Params: Params }>('/f/:token/:key', { bodyLimit: maxSignUpBytes }, async (request, reply) => {
    const form = formOf(request)
    if (!form) return refuse(request, reply, 'unknownLink')
    const signUp = readSignUp(request.body)
    // A program learns nothing from the answer.
    if (signUp === null) return sendForm(request, reply, form, 'signedUp')
    if (!isComplete(signUp, form.rules)) return sendForm(request, reply.code(400), form, 'signUpFaulty')
    if (!signUps.take(callerOf(request.ip), Date.now())) return tooMany(reply)
    const data = sealText(request.params.key, JSON.stringify(signUp))
    // More than the application takes.
    if (data.length > maxEventData) return sendForm(request, reply.code(400), form, 'signUpFaulty')
    if (log.isNearlyFull || !(await recordSurely(request, { ...happening('sign_up'), data }))) {
      return busy(request, reply)
    }
    return sendForm(request, reply, form, 'signedUp')
  })

  app.setNotFoundHandler((request, reply) => refuse(request as Request, reply, 'unknownLink'))

  function namedBy({ params }: { params: Pick<Params, 'token'> }, purpose: TokenPurpose) {
    const secret = handedOver.linkSecret
    // A link with anything around its token is another text, which would get past the limits of one link.
    const isExact = params.token === params.token.trim()
    return isExact && secret ? readToken(secret, purpose, params.token) : null
  }

  /** Stores an event, unless there are too many of them: the link works anyway. */
  async function record(
    request: { params: { token: string }; ip: string; headers: Headers },
    event: Happening
  ) {
    if (log.isNearlyFull || !counted.take(`${event.kind} ${request.params.token}`, Date.now())) return
    await recordSurely(request, event)
  }

  /** @returns false if it could not be stored */
  async function recordSurely(
    { params: { token }, ip, headers }: { params: { token: string }; ip: string; headers: Headers },
    event: Happening
  ): Promise<boolean> {
    try {
      const is_machine = isProgram(headers['user-agent'])
      await log.append({ ...event, token, ip: storedAddress(ip), is_machine, at: Date.now() })
      return true
    } catch (error) {
      if (!(error instanceof GateBusy)) reportFailure(error)
      return false
    }
  }

  function reportFailure(error: unknown): void {
    if (Date.now() - reportedAt < reportedEvery) return
    reportedAt = Date.now()
    process.stderr.write(`The gate could not store what a visitor did: ${messageOf(error)}\n`)
  }

  function rememberUndoable(token: string): void {
    undoable.delete(token)
    undoable.set(token, Date.now())
    const [oldest] = undoable.keys()
    if (undoable.size > mostUndoable && oldest !== undefined) undoable.delete(oldest)
  }

  /** Sends a page that the application rendered; without it, a page that names nothing. */
  function sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    content: string,
    name: PageName
  ): FastifyReply {
    const { key } = request.params as Pick<Params, 'key'>
    const language = pageLanguage(request.headers['accept-language'])
    const sealed = handedOver.content(content)?.pages
    const opened = sealed === undefined ? null : openText(key, sealed)
    const pages = opened === null ? {} : (JSON.parse(opened) as SealedPages)
    const html = pages[name]?.[language] ?? renderPage(publicPage(name, language), language)
    return asPage(reply).send(html)
  }

  /** Returns the form that a link names, once the application has handed it over. */
  function formOf(request: FastifyRequest<{ Params: Params }>): SealedForm | null {
    const named = namedBy(request, 'sign_up')
    const sealed = named && handedOver.content(`p${named.sliceId}`)?.pages
    const opened = sealed ? openText(request.params.key, sealed) : null
    return opened === null ? null : (JSON.parse(opened) as SealedForm)
  }

  function sendForm(
    request: FastifyRequest,
    reply: FastifyReply,
    { pages }: SealedForm,
    name: PageName
  ): FastifyReply {
    const language = pageLanguage(request.headers['accept-language'])
    return asPage(reply).send(pages[name]?.[language] ?? renderPage(publicPage(name, language), language))
  }

  function refuse(request: FastifyRequest, reply: FastifyReply, name: PageName): FastifyReply {
    if (isFlooding(request)) return tooMany(reply)
    const language = pageLanguage(request.headers['accept-language'])
    return asPage(reply.code(404)).send(renderPage(publicPage(name, language), language))
  }

  function isFlooding({ ip }: FastifyRequest): boolean {
    return !forged.take(callerOf(ip), Date.now())
  }
}

/** Returns an address as it is stored; '' for what a server before the gate passed on and is none. */
function storedAddress(ip: string): string {
  return isIP(ip) === 0 ? '' : ip.replace('::ffff:', '')
}

function asksForPreferences({ query }: FastifyRequest): boolean {
  return typeof query === 'object' && query !== null && preferencesQuery in query
}

/** True for what mail services post (RFC 8058). */
function isOneClick(body: unknown): boolean {
  return typeof body === 'string' && body.includes('List-Unsubscribe=One-Click')
}

type Headers = FastifyRequest['headers']
type Happening = Pick<NewEvent, 'kind' | 'purpose' | 'link' | 'data'>

const purposes = {
  open: 'open',
  click: 'click',
  unsubscribe: 'unsubscribe',
  resubscribe: 'unsubscribe',
  confirm: 'confirm',
  preferences: 'unsubscribe',
  sign_up: 'sign_up'
} as const

function happening(kind: keyof typeof purposes, link = ''): Happening {
  return { kind, purpose: purposes[kind], link }
}

function visit(purpose: TokenPurpose, link: string): Happening {
  return { kind: 'visit', purpose, link }
}

function asPage(reply: FastifyReply): FastifyReply {
  return reply.type('text/html; charset=utf-8').headers({
    'Content-Security-Policy': pagePolicy,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer'
  })
}

function tooMany(reply: FastifyReply): FastifyReply {
  return reply.code(429).header('Retry-After', limitedFor).type('text/plain').send('too many requests')
}

function busy(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const language = pageLanguage(request.headers['accept-language'])
  const html = renderPage(publicPage('busy', language), language)
  return asPage(reply.code(503)).header('Retry-After', busyFor).send(html)
}
