import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import type { Caller } from '../../http/caller.ts'
import { findApiKey, findWindowSession, type Used } from './queries.ts'

declare module '../../http/context.ts' {
  interface ApplicationContext {
    signIn: SignIn
    tickets: Tickets
    keyUses: LastUses
    sessionUses: LastUses
  }
}

/** How long a sign-in token of the command line can be used, in milliseconds. */
const signInLifetime = 10 * 60 * 1000

/** The user that a link signs in, and the organization that the window shows. */
interface Grant {
  organizationId: number
  userId: number
  /** The API key with which the link was made: the window ends with it. null = made by the application itself. */
  apiKeyId: number | null
}

/** One-time tokens with which a window signs in: they exist in memory only. */
export class SignIn {
  /** By performance.now(), which no change of the clock moves. */
  readonly #tokens = new Map<string, Grant & { expiresAt: number }>()

  /** @returns a token that signs one window in, once */
  issue({ organizationId, userId, apiKeyId }: Grant): string {
    const token = randomBytes(32).toString('hex')
    const expiresAt = performance.now() + signInLifetime
    this.#tokens.set(token, { organizationId, userId, apiKeyId, expiresAt })
    return token
  }

  /** The address that opens a page of the window, signed in. @param page a path, such as /lists/7 */
  addressFor(baseUrl: string, grant: Grant, page: string): string {
    const token = this.issue(grant)
    return `${baseUrl}/?sign_in=${token}${page === '/' ? '' : `&page=${encodeURIComponent(page)}`}`
  }

  /** Uses a token up. */
  redeem(token: string): Grant | undefined {
    const granted = this.#tokens.get(token)
    this.#tokens.delete(token)
    if (!granted || granted.expiresAt <= performance.now()) return undefined
    const { organizationId, userId, apiKeyId } = granted
    return { organizationId, userId, apiKeyId }
  }
}

/** How long a download ticket is valid, in milliseconds: a browser follows a link at once. */
const ticketLifetime = 60_000
/** Tickets that are held at most; the oldest is dropped. */
const maxTickets = 1000

/** One-time tickets with which a browser downloads one address for a window: a link carries no header. They exist in memory only. */
export class Tickets {
  /** By performance.now(), which no change of the clock moves. */
  readonly #granted = new Map<string, { session: string; address: string; expiresAt: number }>()

  /** @returns a ticket for one GET of this address, made with the rights of the session */
  issue(session: string, address: string): string {
    const [oldest] = this.#granted.keys()
    if (oldest !== undefined && this.#granted.size >= maxTickets) this.#granted.delete(oldest)
    const ticket = randomBytes(32).toString('hex')
    this.#granted.set(ticket, { session, address, expiresAt: performance.now() + ticketLifetime })
    return ticket
  }

  /** Uses up the ticket of a request. @returns the session that it was issued to */
  redeem({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): string | undefined {
    const [, address = '', ticket = ''] = /^(.*)[?&]ticket=([0-9a-f]{64})$/.exec(url) ?? []
    const granted = this.#granted.get(ticket)
    if (!granted || method !== 'GET' || granted.address !== address) return undefined
    this.#granted.delete(ticket)
    return granted.expiresAt > performance.now() ? granted.session : undefined
  }
}

/**
 * The session of the window that calls; undefined for a program with a key. A window sends it as a header and never in a cookie:
 * browsers send the cookies of a host to all of its ports, which belong to other programs.
 */
export function sessionTokenOf({ headers }: FastifyRequest): string | undefined {
  return /^Bearer ([0-9a-f]{64})$/i.exec(headers.authorization ?? '')?.[1]
}

/**
 * Finds out who calls: a program by the API key in its Authorization header (docs/api.md, "Who may call"), a window by its session, or a
 * browser by the ticket of a window.
 * @throws ApiError not_authorized
 */
export async function authenticate(request: FastifyRequest): Promise<Caller> {
  const { reader, tickets, keyUses, sessionUses } = request.server.context
  const header = request.headers.authorization
  const session = header === undefined ? tickets.redeem(request) : sessionTokenOf(request)
  if (session !== undefined) {
    const used = await findWindowSession(reader, session, Date.now())
    if (!used) throw new ApiError('not_authorized', refusal('window_signed_out'))
    sessionUses.note(used, (error) => request.log.warn(error, 'the last use of a window was not noted'))
    return used.caller
  }
  if (header === undefined) {
    throw new ApiError('not_authorized', refusal('no_key'))
  }
  const credentials = readBasic(header)
  const key = credentials && (await findApiKey(reader, credentials.organizationId, credentials.key))
  if (!key) {
    throw new ApiError('not_authorized', refusal('wrong_key'))
  }
  keyUses.note(key, (error) => request.log.warn(error, `the last use of API key ${key.id} was not noted`))
  return key.caller
}

/** How exactly the last use of a key or a window is known, in milliseconds: to write it with each call would be slower than the call. */
const useResolution = 60_000

/** Notes when keys or windows were used. No call waits for that, and none fails when it cannot be written. */
export class LastUses {
  readonly #write: (id: number) => Promise<void>
  /** When it was last tried to note that, by id, in UNIX milliseconds: on a full disk as seldom as on another. */
  readonly #triedAt = new Map<number, number>()

  constructor(write: (id: number) => Promise<void>) {
    this.#write = write
  }

  /** @param report is called with the error when it could not be written */
  note({ id, lastUsedAt }: Pick<Used, 'id' | 'lastUsedAt'>, report: (error: unknown) => void): void {
    const now = Date.now()
    const before = [lastUsedAt, this.#triedAt.get(id)]
    if (before.some((at) => typeof at === 'number' && Math.abs(now - at) < useResolution)) return
    this.#triedAt.set(id, now)
    this.#write(id).catch(report)
  }
}

function readBasic(header: string): { organizationId: number; key: string } | undefined {
  const encoded = /^Basic\s+(\S+)$/i.exec(header)?.[1]
  const match = encoded && /^(\d{1,15}):([0-9a-f]{40})$/.exec(Buffer.from(encoded, 'base64').toString())
  return match ? { organizationId: Number(match[1]), key: match[2] ?? '' } : undefined
}
