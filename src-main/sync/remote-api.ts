import { type Param, type Refusal, refusal } from '../base/refusal.ts'
import { basicAuthorization } from '../base/basic-authorization.ts'
import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'undici'
import { messageOf } from '../base/errors.ts'
import { extensionsHeader } from '../http/extensions.ts'
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
  /** The extensions header of the last answer that had one. */
  #extensions = ''
  #pool: Pool | null = null
  #nextAt = 0

  constructor(access: RemoteAccess, { signal, waits = retryWaits, silence = defaultSilence }: RemoteOptions) {
    this.#access = access
    this.#options = { signal, waits, silence }
    this.#authorization = basicAuthorization(access.organizationId, access.apiKey)
  }

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
      this.#read(status, text, () => null)
      throw new RemoteFault('unavailable', refusal('answered_no_text', { host: this.host, path }))
    })
  }

  async close(): Promise<void> {
    await this.#pool?.destroy()
  }

  /** True if an answer has named this extension of the v2 API. */
  offers(extension: string): boolean {
    return this.#extensions.split(',').some((name) => name.trim() === extension)
  }

  get host(): string {
    return new URL(this.#access.baseUrl).host
  }

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
    const call = `${method} ${path.replace(/\?.*/, '')}`
    return this.#read(status, text, (data) => {
      const fault = check(data)
      return fault === null ? null : refusal('answer_to_call_not_valid', { host: this.host, call, fault })
    }) as RemoteAnswer<Data>
  }

  /**
   * Parses an envelope.
   * @param check returns what is wrong with its data, or null
   * @throws RemoteFault if it reports a failure, is no envelope, or its data is not valid
   */
  #read(status: number, text: string, check: (data: unknown) => Refusal | null): RemoteAnswer<unknown> {
    const envelope = envelopeOf(text)
    if (envelope?.success !== true || status < 200 || status >= 300) {
      throw failureOf(this.host, status, envelope)
    }
    const wrong = check(envelope.data) ?? wrongPaging(this.host, envelope)
    if (wrong !== null) throw new RemoteFault('invalid', wrong)
    return envelope
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
      this.#extensions = String(response.headers[extensionsHeader] ?? this.#extensions)
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
      throw new RemoteFault(
        'unavailable',
        refusal('server_unreachable', { host: this.host, fault: reasonOf(error) })
      )
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
        throw new RemoteFault('too_long', refusal('answer_too_long', { host: this.host, megabytes }))
      }
      push(decoder.decode(piece, { stream: true }))
    }
    push(decoder.decode())
    this.traffic.bytesReceived += bytes
    return pieces.join('')
  }

  async #takeTurn(): Promise<void> {
    const now = performance.now()
    const at = Math.max(now, this.#nextAt)
    const { requestsPerSecond } = this.#access
    if (requestsPerSecond !== null) this.#nextAt = at + 1000 / requestsPerSecond
    if (at > now) await pause(at - now, undefined, { signal: this.#options.signal })
    this.#options.signal.throwIfAborted()
  }

  /** @param wait the least delay of all further calls, in milliseconds */
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

interface TextStream {
  maxBytes: number
  push: (text: string) => void
}

/** Shortens a remote's message for display and storage. */
export function shortened(message: string): string {
  return message.length > maxMessage ? `${message.slice(0, maxMessage - 1)}…` : message
}

/** Returns what is wrong with the paging of an envelope, or null. */
function wrongPaging(
  host: string,
  { data, num_records: records, num_pages: pages, next_page_token: token }: RemoteAnswer<unknown>
): Refusal | null {
  for (const [name, value] of Object.entries({ num_records: records, num_pages: pages })) {
    if (value != null && (!Number.isInteger(value) || value < 0)) {
      return refusal('no_number_of_records', { host, name })
    }
  }
  if (token != null && !['string', 'number'].includes(typeof token)) return refusal('token_no_text', { host })
  const isWhole = Array.isArray(data) && records != null && pages != null && pages <= 1 && token == null
  if (isWhole && data.length !== records) return otherNumber(host, records, data.length).refusal
  return null
}

/** The fault of a listing with another number of records than it declares. */
export function otherNumber(host: string, records: number, found: number): RemoteFault {
  return new RemoteFault('invalid', refusal('other_number_of_records', { host, found, records }))
}

/** The fault that an answer reports; null = the answer is no envelope. */
function failureOf(host: string, status: number, envelope: Envelope | null): RemoteFault {
  const message = envelope?.error_message
  const fault = typeof message === 'string' ? shortened(message) : null
  const said = fault === null ? null : refusal('said', { text: fault })
  const reason = (rule: ReasonRule): Refusal =>
    fault === null ? refusal(rule, { host }) : refusal(`${rule}_because`, { host, fault })
  if (status === 401) return new RemoteFault('key', reason('key_not_accepted'))
  if (status === 403) return new RemoteFault('key', reason('key_without_permission'))
  if (status === 429 || status >= 500) {
    return new RemoteFault(
      'unavailable',
      fault === null
        ? refusal('server_status', { host, status })
        : refusal('server_status_because', { host, status, fault })
    )
  }
  if (status >= 300 && status < 400) return new RemoteFault('key', refusal('server_redirects', { host }))
  if (status === 404 || envelope?.error_code === 'not_found') {
    return new RemoteFault('not_found', said ?? refusal('call_unknown', { host }))
  }
  if (!envelope) return new RemoteFault('unavailable', refusal('answer_not_of_api', { host }))
  if (envelope.error_code === 'not_authorized') {
    return new RemoteFault('key', refusal('in_place', { place: host, fault: fault ?? 'no' }))
  }
  return new RemoteFault('refused', said ?? refusal('refused_without_reason', { host }))
}

type ReasonRule = 'key_not_accepted' | 'key_without_permission'

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

/** Returns why a connection failed, without the library's prefix. */
function reasonOf(error: unknown): Param {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = (cause as { code?: unknown }).code
  const rule = typeof code === 'string' ? connectionRules[code] : undefined
  return rule === undefined ? messageOf(cause) : refusal(rule)
}

const connectionRules: Record<string, ConnectionRule> = {
  ECONNREFUSED: 'nothing_answers',
  ENOTFOUND: 'no_such_server',
  EAI_AGAIN: 'no_network',
  ECONNRESET: 'connection_cut',
  UND_ERR_SOCKET: 'connection_cut',
  UND_ERR_CONNECT_TIMEOUT: 'no_answer',
  UND_ERR_HEADERS_TIMEOUT: 'no_answer',
  UND_ERR_BODY_TIMEOUT: 'answer_stopped',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'answer_cut_off',
  CERT_HAS_EXPIRED: 'certificate_expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_self_made',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_untrusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_of_other_name'
}

type ConnectionRule =
  | 'nothing_answers'
  | 'no_such_server'
  | 'no_network'
  | 'connection_cut'
  | 'no_answer'
  | 'answer_stopped'
  | 'answer_cut_off'
  | 'certificate_expired'
  | 'certificate_self_made'
  | 'certificate_untrusted'
  | 'certificate_of_other_name'
