import { basicAuthorization } from '../base/basic-authorization.ts'
import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'undici'
import { messageOf } from '../base/errors.ts'
import { type AnswerCheck, answers } from './answers.ts'
import { RemoteFault } from './remote-fault.ts'

/** An answer of the v2 API that says it succeeded. */
export interface RemoteAnswer<Data> {
  data: Data
  /** Of a page of subscribers: what leads to the next one; null at the end. */
  next_page_token?: string | number | null
  num_records?: number
  num_pages?: number
}

export interface RemoteAccess {
  baseUrl: string
  organizationId: number
  apiKey: string
  /** null = as many as the remote answers. */
  requestsPerSecond: number | null
}

/** What went over the network. */
export interface Traffic {
  requests: number
  bytesSent: number
  bytesReceived: number
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface RemoteOptions {
  signal: AbortSignal
  /** Milliseconds before the second, third … attempt of a call that failed on the way. */
  waits?: readonly number[]
  /** Silence after which a call is given up, in milliseconds. */
  silence?: number
}

/** Connections that are kept open, and calls that are under way at once. */
export const connections = 8
/** Milliseconds before the second, third … attempt at what failed on the way. */
export const retryWaits = [200, 1000, 5000]
const defaultSilence = 60_000
/** Longest wait that a remote is given within a run, in milliseconds, whatever it asks for: other calls wait as well. */
const maxRetryAfter = 60_000
/** Bytes of an answer: it is parsed as a whole. */
const maxAnswer = 8 * 1024 * 1024
/** Characters of a message of the remote that are shown and stored. */
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
  /** When the next request may begin, by performance.now(). */
  #nextAt = 0

  constructor(access: RemoteAccess, { signal, waits = retryWaits, silence = defaultSilence }: RemoteOptions) {
    this.#access = access
    this.#options = { signal, waits, silence }
    this.#authorization = basicAuthorization(access.organizationId, access.apiKey)
  }

  /** @param check what the data of the answer must be; every call has one */
  get<Data>(path: string, check: AnswerCheck): Promise<RemoteAnswer<Data>> {
    return this.#again(() => this.#call<Data>('GET', path, check))
  }

  /** Changes a record to what is given: the same when it is repeated, but for what others change of it in between. */
  put<Data>(path: string, check: AnswerCheck, body: object): Promise<RemoteAnswer<Data>> {
    return this.#again(() => this.#call<Data>('PUT', path, check, body))
  }

  /** The same, once: for records of which somebody else may change what would be overwritten by a repetition. */
  putOnce<Data>(path: string, check: AnswerCheck, body: object): Promise<RemoteAnswer<Data>> {
    return this.#call<Data>('PUT', path, check, body)
  }

  /** Removes a record. What is gone already, also by an attempt whose answer was lost, is removed. */
  async delete(path: string): Promise<void> {
    try {
      await this.#again(() => this.#call('DELETE', path, answers.anything))
    } catch (error) {
      if (!(error instanceof RemoteFault) || error.kind !== 'not_found') throw error
    }
  }

  /** Creates something, or begins it: whether it happened is unknown after a fault of the kind "unavailable". */
  post<Data>(path: string, check: AnswerCheck, body: object): Promise<RemoteAnswer<Data>> {
    return this.#call<Data>('POST', path, check, body)
  }

  /**
   * Reads what is answered as text and not as an envelope: the logs of imports.
   * @param read makes a reader of the text in pieces; it is called again for each attempt, and so starts over
   * @param maxBytes an answer that is longer is refused
   * @returns what the reader of the attempt that succeeded made of it
   * @throws RemoteFault not_found where there is no such log
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

  /** The host of the remote, for sentences. */
  get host(): string {
    return new URL(this.#access.baseUrl).host
  }

  /** Repeats what failed on the way, with pauses that differ, so that many who wait do not come back at once. */
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

  /** Reads an envelope. @throws RemoteFault for one that says it failed, for what is none, and for data that is not valid */
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
      // Of an error the text says why, so it is read as a whole.
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

  /** @param stream what gets the text piece by piece; without it the text is returned */
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

  /** Waits until the next request may begin. */
  async #takeTurn(): Promise<void> {
    const now = performance.now()
    const at = Math.max(now, this.#nextAt)
    const { requestsPerSecond } = this.#access
    if (requestsPerSecond !== null) this.#nextAt = at + 1000 / requestsPerSecond
    if (at > now) await pause(at - now, undefined, { signal: this.#options.signal })
    this.#options.signal.throwIfAborted()
  }

  /** Keeps all calls back for so many milliseconds. */
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

/** What gets an answer in pieces that is not kept as a whole. */
interface TextStream {
  maxBytes: number
  push: (text: string) => void
}

/** @returns the message of a remote, short enough to be shown and stored */
export function shortened(message: string): string {
  return message.length > maxMessage ? `${message.slice(0, maxMessage - 1)}…` : message
}

/** Says what is wrong with the numbers that an envelope gives of its page; null = nothing. */
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

/** The sentence for a listing that holds another number of records than it says. */
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
    // What is no JSON is no envelope, and the caller says so.
    return null
  }
}

function because(said: string | null): string {
  return said === null ? '' : `: ${said}`
}

/** What kept a connection from coming about, without the words of the library around it. */
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
