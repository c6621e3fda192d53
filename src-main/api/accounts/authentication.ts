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

/** Validity of a sign-in token of the command line, in milliseconds. */
const signInLifetime = 10 * 60 * 1000

interface Grant {
  organizationId: number
  userId: number
  /** The API key that created the link and whose end ends the window; null = created by the application. */
  apiKeyId: number | null
}

/** One-time tokens with which a window signs in. Kept in memory only. */
export class SignIn {
  /** `expiresAt` is by performance.now(), which changes of the clock do not affect. */
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

  redeem(token: string): Grant | undefined {
    const granted = this.#tokens.get(token)
    this.#tokens.delete(token)
    if (!granted || granted.expiresAt <= performance.now()) return undefined
    const { organizationId, userId, apiKeyId } = granted
    return { organizationId, userId, apiKeyId }
  }
}

/** Validity of a download ticket, in milliseconds: a browser follows the link at once. */
const ticketLifetime = 60_000
const maxTickets = 1000

/**
 * One-time tickets with which a browser downloads one address, since a link carries no header. Kept in memory
 * only.
 */
export class Tickets {
  /** `expiresAt` is by performance.now(), which changes of the clock do not affect. */
  readonly #granted = new Map<string, { session: string; address: string; expiresAt: number }>()

  issue(session: string, address: string): string {
    const [oldest] = this.#granted.keys()
    if (oldest !== undefined && this.#granted.size >= maxTickets) this.#granted.delete(oldest)
    const ticket = randomBytes(32).toString('hex')
    this.#granted.set(ticket, { session, address, expiresAt: performance.now() + ticketLifetime })
    return ticket
  }

  /**
   * Redeems the ticket of a request.
   * @returns the session that it was issued to
   */
  redeem({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): string | undefined {
    const [, address = '', ticket = ''] = /^(.*)[?&]ticket=([0-9a-f]{64})$/.exec(url) ?? []
    const granted = this.#granted.get(ticket)
    if (!granted || method !== 'GET' || granted.address !== address) return undefined
    this.#granted.delete(ticket)
    return granted.expiresAt > performance.now() ? granted.session : undefined
  }
}

/**
 * Returns the session token of a calling window; undefined for a program with a key. It is sent as a header,
 * never as a cookie: browsers send a host's cookies to all of its ports, which belong to other programs.
 */
export function sessionTokenOf({ headers }: FastifyRequest): string | undefined {
  return /^Bearer ([0-9a-f]{64})$/i.exec(headers.authorization ?? '')?.[1]
}

/**
 * Identifies the caller: a program by the API key in its Authorization header (docs/api.md, "Who may call"),
 * a window by its session, or a browser by a ticket.
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

/**
 * Precision of the last use of a key or window, in milliseconds: writing it with each call would take longer
 * than the call.
 */
const useResolution = 60_000

/** Records when keys and windows are used. No call waits for it or fails with it. */
export class LastUses {
  readonly #write: (id: number) => Promise<void>
  /** Time of the last attempt by id, in UNIX milliseconds, so that a full disk is not tried more often. */
  readonly #triedAt = new Map<number, number>()

  constructor(write: (id: number) => Promise<void>) {
    this.#write = write
  }

  /** @param report receives the error if it could not be stored */
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
