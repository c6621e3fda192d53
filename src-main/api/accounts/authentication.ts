import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Writer } from '../../database/writer.ts'
import { ApiError } from '../../base/errors.ts'
import { sessionLifetime } from './commands.ts'
import type { Caller } from '../../http/caller.ts'
import { callerOfSession, findApiKey, type UsedKey } from './queries.ts'

declare module '../../http/context.ts' {
  interface ApplicationContext {
    signIn: SignIn
    keyUses: KeyUses
  }
}

/** How long a sign-in token of the command line can be used, in milliseconds. */
const signInLifetime = 10 * 60 * 1000

/** One-time tokens with which a window signs in: they exist in memory only. */
export class SignIn {
  /** By performance.now(), which no change of the clock moves. */
  readonly #tokens = new Map<string, { organizationId: number; userId: number; expiresAt: number }>()

  /** @returns a token that signs one window in, once */
  issue(organizationId: number, userId: number): string {
    const token = randomBytes(32).toString('hex')
    this.#tokens.set(token, { organizationId, userId, expiresAt: performance.now() + signInLifetime })
    return token
  }

  /** The address that opens a page of the window, signed in. @param page a path, such as /lists/7 */
  addressFor(baseUrl: string, who: { organizationId: number; userId: number }, page: string): string {
    const token = this.issue(who.organizationId, who.userId)
    return `${baseUrl}/?sign_in=${token}${page === '/' ? '' : `&page=${encodeURIComponent(page)}`}`
  }

  /** Uses a token up. */
  redeem(token: string): { organizationId: number; userId: number } | undefined {
    const granted = this.#tokens.get(token)
    this.#tokens.delete(token)
    return granted && granted.expiresAt > performance.now() ? granted : undefined
  }
}

/** The name of the window's cookie. Browsers share cookies between the ports of a host, so the port is part of it. */
function sessionCookie(port: number): string {
  return `listwright_session_${port}`
}

/** The session of the window that calls; undefined for a program with a key. */
export function sessionTokenOf({ headers, socket }: FastifyRequest): string | undefined {
  return headers.authorization === undefined
    ? readCookie(headers.cookie, sessionCookie(socket.localPort ?? 0))
    : undefined
}

/**
 * Gives a window its session, or with '' takes it away.
 * @param token of createWindowSession
 */
export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, token: string): void {
  const name = sessionCookie(request.socket.localPort ?? 0)
  const age = token === '' ? 0 : sessionLifetime / 1000
  void reply.header('Set-Cookie', `${name}=${token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${age}`)
}

/**
 * Finds out who calls: an API key in the Authorization header (docs/api.md, "Who may call") or the cookie of a signed-in window.
 * @throws ApiError not_authorized
 */
export async function authenticate(request: FastifyRequest): Promise<Caller> {
  const { reader, keyUses } = request.server.context
  const header = request.headers.authorization
  if (header !== undefined) {
    const credentials = readBasic(header)
    const key = credentials && (await findApiKey(reader, credentials.organizationId, credentials.key))
    if (key) {
      keyUses.note(key, (error) => request.log.warn(error, `the last use of API key ${key.id} was not noted`))
      return key.caller
    }
    throw new ApiError(
      'not_authorized',
      'the Authorization header holds no valid "<organization_id>:<api_key>"'
    )
  }
  const token = sessionTokenOf(request)
  const caller = token && (await callerOfSession(reader, token, Date.now()))
  if (caller) return caller
  throw new ApiError('not_authorized', 'an Authorization header with an API key is required')
}

/** How exactly the last use of a key is known, in milliseconds: to write it with each call would be slower than the call. */
const useResolution = 60_000

/** Notes when keys were used. Nobody waits for that, and a call is no worse when it cannot be written. */
export class KeyUses {
  readonly #writer: Writer
  /** When it was last tried to note that, by key, in UNIX milliseconds: on a full disk as seldom as on another. */
  readonly #triedAt = new Map<number, number>()

  constructor(writer: Writer) {
    this.#writer = writer
  }

  /** @param tell is told why it could not be written */
  note({ id, lastUsedAt }: Pick<UsedKey, 'id' | 'lastUsedAt'>, tell: (error: unknown) => void): void {
    const now = Date.now()
    const before = [lastUsedAt, this.#triedAt.get(id)]
    if (before.some((at) => typeof at === 'number' && Math.abs(now - at) < useResolution)) return
    this.#triedAt.set(id, now)
    this.#writer.run('accounts.noteKeyUse', { id }).catch(tell)
  }
}

function readBasic(header: string): { organizationId: number; key: string } | undefined {
  const encoded = /^Basic\s+(\S+)$/i.exec(header)?.[1]
  const match = encoded && /^(\d{1,15}):([0-9a-f]{40})$/.exec(Buffer.from(encoded, 'base64').toString())
  return match ? { organizationId: Number(match[1]), key: match[2] ?? '' } : undefined
}

function readCookie(header: string | undefined, name: string): string | undefined {
  return header
    ?.split(';')
    .map((part) => part.trim().split('='))
    .find(([key]) => key === name)?.[1]
}
