import { basicAuthorization } from '../base/basic-authorization.ts'
import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'undici'
import { messageOf } from '../base/errors.ts'
import { type AnswerCheck, answers } from './answers.ts'
import { RemoteFault } from './remote-fault.ts'

/** A successful answer of the v2 API. */
export interface RemoteAnswer<Data> {
  data: Data
  /** Only in pages of subscribers; null at the end. */
  next_page_token?: string | number | null
  num_records?: number
  num_pages?: number
}

export interface RemoteAccess {
  baseUrl: string
  organizationId: number
  apiKey: string
  /** null = unlimited. */
  requestsPerSecond: number | null
}

/** Bytes and requests that went over the network. */
export interface Traffic {
  requests: number
  bytesSent: number
  bytesReceived: number
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface RemoteOptions {
  signal: AbortSignal
  /** Milliseconds before each further attempt after a network failure. */
  waits?: readonly number[]
  /** Milliseconds without data after which a call is aborted. */
  silence?: number
}

/** Open connections, and parallel calls. */
export const connections = 8
/** Milliseconds before each further attempt after a network failure. */
export const retryWaits = [200, 1000, 5000]
const defaultSilence = 60_000
/** The longest wait within a run in milliseconds, whatever the remote requests: other calls wait too. */
const maxRetryAfter = 60_000
/** Limit of an answer in bytes, which is parsed as a whole. */
const maxAnswer = 8 * 1024 * 1024
/** Characters of a remote's message that are shown and stored. */
const maxMessage = 500

/**
 * The v2 API of a remote server. Every answer is an envelope; anything else is not believed, whatever its status. Calls that
 * change nothing there, or the same when they are repeated, are tried again; the others are for the caller, who finds out
 * first what became of them. No redirect is followed: the key is for this server alone.
 */
export class RemoteApi {
  readonly traffic: Traffic = { requests: 0, bytesSent: 0, bytesReceived: 0 }
  readonly #access: RemoteAccess
  readonly #options: Required<RemoteOptions>
  readonly #authorization: string
  #pool: Pool | null = null
  /** Earliest time of the next request (performance.now()). */
  #nextAt = 0

  constructor(access: RemoteAccess, { signal, waits = retryWaits, silence = defaultSilence }: RemoteOptions) {
    this.#access = access
    this.#options = { signal, waits, silence }
    this.#authorization = basicAuthorization(access.organizationId, access.apiKey)
  }

  /** @param check validates the data of the answer */
  get<Data>(path: string, check: AnswerCheck): Promise<RemoteAnswer<Data>> {
    return this.#again(() => this.#call<Data>('GET', path, check))
  }

  /**
   * Updates a record. Repeated after a lost answer, so changes that others made in between are overwritten.
   */
  put<Data>(path: string, check: AnswerCheck, body: object): Promise<RemoteAnswer<Data>> {
    return this.#again(() => this.#call<Data>('PUT', path, check, body))
  }

  /**
   * Updates a record without ever repeating the request, so that nothing that others changed in between is
   * overwritten.
   */
  putOnce<Data>(path: string, check: AnswerCheck, body: object): Promise<RemoteAnswer<Data>> {
    return this.#call<Data>('PUT', path, check, body)
  }

  /** Deletes a record. A missing record counts as deleted: an earlier attempt may have lost its answer. */
  async delete(path: string): Promise<void> {
    try {
      await this.#again(() => this.#call('DELETE', path, answers.anything))
    } catch (error) {
      if (!(error instanceof RemoteFault) || error.kind !== 'not_found') throw error
    }
  }

  /**
   * Creates or starts something. After a fault of the kind "unavailable" it is unknown whether it happened.
   */
  post<Data>(path: string, check: AnswerCheck, body: object): Promise<RemoteAnswer<Data>> {
    return this.#call<Data>('POST', path, check, body)
  }

  /**
   * Reads an answer that is text instead of an envelope: the log of an import.
   * @param read creates a reader of the text's pieces; called again for each attempt
   * @param maxBytes longer answers are refused
   * @returns the result of the reader whose attempt succeeded
   * @throws RemoteFault not_found if there is no such log
   */
  readText<Result>(
    path: string,
    maxBytes: number,
    read: () => { push: (text: string) => void; end: () => Result }
  ): Promise<Result> {
    return this.#again(async () => {
      const reader = read()
      const { status, text, isJson } = await this.#send('GET', path, undefined, {
        maxBytes,
        push: (piece) => reader.push(piece)
      })
      if (status === 200 && !isJson) return reader.end()
      this.#read(status, text, answers.anything)
      throw new RemoteFault('unavailable', `${this.host} answered ${path} with something other than text`)
    })
  }

  async close(): Promise<void> {
    await this.#pool?.destroy()
  }

  get host(): string {
    return new URL(this.#access.baseUrl).host
  }

  /** Repeats a call after network failures, with random pauses to spread many clients. */
  async #again<Result>(call: () => Promise<Result>): Promise<Result> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await call()
      } catch (error) {
        const wait = this.#options.waits[attempt]
        if (wait === undefined || !(error instanceof RemoteFault) || error.kind !== 'unavailable') throw error
        await pause(wait / 2 + Math.random() * wait, undefined, { signal: this.#options.signal })
      }
    }
  }

  async #call<Data>(
    method: Method,
    path: string,
    check: AnswerCheck,
    body?: object
  ): Promise<RemoteAnswer<Data>> {
    const { status, text } = await this.#send(method, path, body)
    return this.#read(status, text, (data) => {
      const wrong = check(data)
      return wrong === null
        ? null
        : `answered ${method} ${path.replace(/\?.*/, '')} with data that is not valid: ${wrong}`
    }) as RemoteAnswer<Data>
  }

  /**
   * Parses an envelope.
   * @throws RemoteFault if it reports a failure, is no envelope, or its data is not valid
   */
  #read(status: number, text: string, check: AnswerCheck): RemoteAnswer<unknown> {
    const envelope = envelopeOf(text)
    if (envelope?.success === true && status >= 200 && status < 300) {
      const wrong = check(envelope.data) ?? wrongPaging(envelope)
      if (wrong !== null) throw new RemoteFault('invalid', `${this.host} ${wrong}`)
      return envelope
    }
    const said = typeof envelope?.error_message === 'string' ? shortened(envelope.error_message) : null
    if (status === 401) throw new RemoteFault('key', `${this.host} did not accept this key${because(said)}`)
    if (status === 403)
      throw new RemoteFault(
        'key',
        `The key does not have permission to do this on ${this.host}${because(said)}`
      )
    if (status === 429 || status >= 500) {
      throw new RemoteFault('unavailable', `${this.host} answered with status ${status}${because(said)}`)
    }
    if (status >= 300 && status < 400) {
      throw new RemoteFault(
        'key',
        `${this.host} redirects to another address. Enter that address instead: the key is sent only to the address you enter`
      )
    }
    if (status === 404 || envelope?.error_code === 'not_found') {
      throw new RemoteFault('not_found', said ?? `${this.host} does not know this call`)
    }
    if (!envelope) {
      throw new RemoteFault('unavailable', `${this.host} gave an answer that is not from the API`)
    }
    if (envelope.error_code === 'not_authorized')
      throw new RemoteFault('key', `${this.host}: ${said ?? 'no'}`)
    throw new RemoteFault('refused', said ?? `${this.host} refused it without giving a reason`)
  }

  async #send(
    method: Method,
    path: string,
    body?: object,
    stream?: TextStream
  ): Promise<{ status: number; text: string; isJson: boolean }> {
    await this.#takeTurn()
    const pool = (this.#pool ??= await this.#connect())
    const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    this.traffic.requests++
    this.traffic.bytesSent += sent?.length ?? 0
    try {
      const response = await pool.request({
        method,
        path: `/ga/api/v2${path}`,
        headers: {
          authorization: this.#authorization,
          accept: 'application/json',
          ...(sent !== undefined && { 'content-type': 'application/json' })
        },
        signal: this.#options.signal,
        ...(sent !== undefined && { body: sent })
      })
      const type = String(response.headers['content-type'] ?? '')
      const isJson = type.includes('json')
      // An error's text gives the reason, so it is read as a whole.
      const isStreamed = stream && response.statusCode === 200 && !isJson
      const text = await this.#textOf(response.body, isStreamed ? stream : undefined)
      const retryAfter = Number(response.headers['retry-after'])
      if ((response.statusCode === 429 || response.statusCode === 503) && retryAfter > 0) {
        this.#waitAtLeast(Math.min(retryAfter * 1000, maxRetryAfter))
      }
      return { status: response.statusCode, text, isJson }
    } catch (error) {
      this.#options.signal.throwIfAborted()
      if (error instanceof RemoteFault) throw error
      throw new RemoteFault('unavailable', `${this.host} cannot be reached: ${reasonOf(error)}`)
    }
  }

  /** @param stream receives the text in pieces; without it the text is returned */
  async #textOf(body: AsyncIterable<Uint8Array>, stream?: TextStream): Promise<string> {
    const pieces: string[] = []
    const push = stream?.push ?? ((piece: string) => void pieces.push(piece))
    const maxBytes = stream?.maxBytes ?? maxAnswer
    const decoder = new TextDecoder()
    let bytes = 0
    for await (const piece of body) {
      bytes += piece.length
      if (bytes > maxBytes) {
        const megabytes = Math.max(1, Math.round(maxBytes / 1024 / 1024))
        throw new RemoteFault('too_long', `${this.host} sent an answer of more than ${megabytes} MB`)
      }
      push(decoder.decode(piece, { stream: true }))
    }
    push(decoder.decode())
    this.traffic.bytesReceived += bytes
    return pieces.join('')
  }

  /** Waits for the next request's turn. */
  async #takeTurn(): Promise<void> {
    const now = performance.now()
    const at = Math.max(now, this.#nextAt)
    const { requestsPerSecond } = this.#access
    if (requestsPerSecond !== null) this.#nextAt = at + 1000 / requestsPerSecond
    if (at > now) await pause(at - now, undefined, { signal: this.#options.signal })
    this.#options.signal.throwIfAborted()
  }

  /** Delays all calls by at least so many milliseconds. */
  #waitAtLeast(wait: number): void {
    this.#nextAt = Math.max(this.#nextAt, performance.now() + wait)
  }

  async #connect(): Promise<Pool> {
    // A megabyte of code that most starts never need.
    const { Pool } = await import('undici')
    const { silence } = this.#options
    return new Pool(this.#access.baseUrl, {
      connections,
      connect: { timeout: Math.min(silence, 10_000) },
      headersTimeout: silence,
      bodyTimeout: silence
    })
  }
}

/** Consumes an answer in pieces. */
interface TextStream {
  maxBytes: number
  push: (text: string) => void
}

/** Shortens a remote's message for display and storage. */
export function shortened(message: string): string {
  return message.length > maxMessage ? `${message.slice(0, maxMessage - 1)}…` : message
}

/** Returns what is wrong with the paging of an envelope, or null. */
function wrongPaging({
  data,
  num_records: records,
  num_pages: pages,
  next_page_token: token
}: RemoteAnswer<unknown>): string | null {
  for (const [name, value] of Object.entries({ num_records: records, num_pages: pages })) {
    if (value != null && (!Number.isInteger(value) || value < 0))
      return `answered with a ${name} that is no number of records`
  }
  if (token != null && !['string', 'number'].includes(typeof token))
    return 'answered with a next_page_token that is no text'
  const isWhole = Array.isArray(data) && records != null && pages != null && pages <= 1 && token == null
  if (isWhole && data.length !== records) return contradiction(records, data.length)
  return null
}

/** Words a listing with another number of records than it declares. */
export function contradiction(records: number, found: number): string {
  return `answered with ${found} records where it says that there are ${records}`
}

interface Envelope extends RemoteAnswer<unknown> {
  success?: unknown
  error_code?: unknown
  error_message?: unknown
}

function envelopeOf(text: string): Envelope | null {
  try {
    const parsed = JSON.parse(text) as unknown
    return typeof parsed === 'object' && parsed !== null && 'success' in parsed ? (parsed as Envelope) : null
  } catch {
    // Text that is not JSON is not an envelope, which the caller reports.
    return null
  }
}

function because(said: string | null): string {
  return said === null ? '' : `: ${said}`
}

/** Returns why a connection failed, without the library's prefix. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = (cause as { code?: unknown }).code
  const known = typeof code === 'string' ? connectionFaults[code] : undefined
  return known ?? messageOf(cause)
}

const connectionFaults: Record<string, string> = {
  ECONNREFUSED: 'nothing answers at this address',
  ENOTFOUND: 'there is no server of this name, or no network',
  EAI_AGAIN: 'there is no network',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  UND_ERR_HEADERS_TIMEOUT: 'it does not answer',
  UND_ERR_BODY_TIMEOUT: 'it stopped in the middle of an answer',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'its answer was cut off',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is one that it made itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not signed by anybody who is trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not signed by anybody who is trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name'
}
