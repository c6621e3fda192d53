import { Ajv, type ValidateFunction } from 'ajv'
import type { KeyObject } from 'node:crypto'
import type { Static, TSchema } from 'typebox'
import { messageOf } from '../base/errors.ts'
import { GateContents, GateEvent, GateEvents, GateStatus, protocolPath } from './protocol.ts'

/** Why a gate cannot be used. */
export type GateFault =
  /** Nothing answers, or something that is no gate. */
  | 'unreachable'
  /** It refuses the key. */
  | 'key'
  /** It belongs to another organization or installation. */
  | 'foreign'

export class GateUnavailable extends Error {
  readonly fault: GateFault

  /** @param words those of the gate or the system */
  constructor(fault: GateFault, words: string) {
    super(words)
    this.fault = fault
  }
}

/** Milliseconds for a call, and bytes of an answer. */
const [callWithin, maxAnswer] = [30_000, 16 * 1024 * 1024]
const maxWords = 300

interface Call {
  method: 'GET' | 'PUT' | 'POST'
  path: string
  body?: { type: string; bytes: string | Uint8Array<ArrayBuffer> }
}

/** A gate as the application sees it. What it answers is checked before it is believed. */
export class GateClient {
  readonly #address: string
  readonly #key: string
  readonly #signal: AbortSignal | undefined

  /** @param address without a path */
  constructor(address: string, key: string, signal?: AbortSignal) {
    this.#address = address
    this.#key = key
    this.#signal = signal
  }

  status(): Promise<GateStatus> {
    return this.#read('/status', GateStatus)
  }

  contents(): Promise<GateContents> {
    return this.#read('/contents', GateContents)
  }

  /** Makes the gate one of this installation. @throws GateUnavailable if it belongs to another */
  async giveSecret(secret: KeyObject): Promise<void> {
    const body = JSON.stringify({ secret: secret.export().toString('hex') })
    await this.#write({ method: 'PUT', path: '/secret', body: json(body) })
  }

  /** @param body JSON of a {@link GateContent} */
  async putContent(key: string, body: string): Promise<void> {
    await this.#write({ method: 'PUT', path: `/contents/${key}`, body: json(body) })
  }

  async putImage(key: string, mediaType: string, bytes: Uint8Array): Promise<void> {
    await this.#write({
      method: 'PUT',
      path: `/images/${key}`,
      body: { type: mediaType, bytes: new Uint8Array(bytes) }
    })
  }

  /**
   * Returns events behind a number, in their order, and the number of the last one. One that is not as it should be is left out, since it
   * must not hold up the others.
   */
  async events(epoch: string, after: number): Promise<{ events: GateEvent[]; last: number }> {
    const { events } = await this.#read(`/events?epoch=${epoch}&after=${after}`, GateEvents)
    let last = after
    for (const { number } of events) {
      if (number <= last) throw new GateUnavailable('unreachable', 'its events are not in order')
      last = number
    }
    const isEvent = checkOf(GateEvent)
    return { events: events.filter((event): event is GateEvent => isEvent(event) === true), last }
  }

  async acknowledge(epoch: string, number: number): Promise<void> {
    const body = JSON.stringify({ epoch, number })
    await this.#write({ method: 'POST', path: '/acknowledge', body: json(body) })
  }

  async #read<Schema extends TSchema>(path: string, schema: Schema): Promise<Static<Schema>> {
    const text = await this.#call({ method: 'GET', path })
    const answer = parsed(text)
    if (!checkOf(schema)(answer)) throw new GateUnavailable('unreachable', 'what answers there is no gate')
    return answer as Static<Schema>
  }

  async #write(call: Call): Promise<void> {
    await this.#call(call)
  }

  /** @returns the body of the answer */
  async #call({ method, path, body }: Call): Promise<string> {
    const within = AbortSignal.timeout(callWithin)
    let response: Response
    let text: string
    try {
      response = await fetch(this.#address + protocolPath + path, {
        method,
        headers: {
          Authorization: `Bearer ${this.#key}`,
          ...(body && { 'Content-Type': body.type })
        },
        // A redirect would take the key to another server.
        redirect: 'error',
        signal: this.#signal ? AbortSignal.any([within, this.#signal]) : within,
        ...(body && { body: body.bytes })
      })
      text = await readText(response)
    } catch (error) {
      if (error instanceof GateUnavailable) throw error
      throw new GateUnavailable('unreachable', wordsOf(error))
    }
    if (response.ok) return text
    const fault = response.status === 401 ? 'key' : response.status === 409 ? 'foreign' : 'unreachable'
    const said = (parsed(text) as { error?: unknown } | null)?.error
    const words = typeof said === 'string' ? said : `${response.status} ${response.statusText}`.trim()
    throw new GateUnavailable(fault, words.slice(0, maxWords))
  }
}

function json(bytes: string): NonNullable<Call['body']> {
  return { type: 'application/json', bytes }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > maxAnswer) throw new GateUnavailable('unreachable', 'its answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** @returns null for no JSON */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // What is no JSON is no answer of a gate, which the caller reports.
    return null
  }
}

/** The reason of a failed fetch is its cause, or one of several. */
function wordsOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const reason = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause
  return messageOf(reason ?? error).slice(0, maxWords)
}

const checks = new Map<TSchema, ValidateFunction>()

/** Compiled on first use. */
function checkOf(schema: TSchema): ValidateFunction {
  const known = checks.get(schema)
  if (known) return known
  const made = new Ajv({ strict: false, validateFormats: false, meta: false, validateSchema: false }).compile(
    schema
  )
  checks.set(schema, made)
  return made
}
