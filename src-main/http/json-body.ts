import type { Readable } from 'node:stream'
import type { MessagePort, Worker } from 'node:worker_threads'
import { ApiError, messageOf, validationFailed } from '../base/errors.ts'
import { type Refusal, refusal } from '../base/refusal.ts'
import { endThread, startThread } from '../base/threads.ts'
import { BodyRefusal, JsonScanner } from './json-scanner.ts'

/**
 * A body of up to this many bytes is parsed on the server's thread, which takes a few milliseconds; a
 * larger one goes to a parser thread.
 */
const parsedHere = 256 * 1024

/** Values of a body: far more than any record has, and few enough to be parsed within a second. */
const defaultMaxValues = 300_000

/** Values of a body that are checked on the main thread: that takes some 10 ms. */
export const checkedHere = 20_000

/** Bytes from which a string of a body is kept out of the JavaScript heap, where the path says what to do with it. */
const cutsFrom = 64 * 1024

/** Rules for reading the request bodies of a path. */
export interface BodyRules {
  /** Most bytes. */
  limit: number
  /** Most values, keys and containers; a default when left out. */
  maxValues?: number | undefined
  /** True = long strings arrive as bytes in {@link LongTexts}. */
  takesLongTexts?: boolean | undefined
  /** The body's schema: a body with very many values is validated by the parsing thread. */
  schema?: unknown
  /** The key of a list of short texts, such as addresses, that arrives as lines: a {@link LongTexts} of its own key. */
  linesKey?: string | undefined
}

/** Strings of a body that are too long for the JavaScript heap, in UTF-8, by the placeholder in the body. */
export type LongTexts = ReadonlyMap<string, Uint8Array<ArrayBuffer>>

export interface ReadBody {
  value: unknown
  longTexts: LongTexts
  values: number
  /** True if the thread has checked it against its schema. */
  isChecked?: boolean
}

/**
 * Validates and converts a body by its schema.
 * @returns the faults, or the converted body
 */
export type CheckBody = (body: ReadBody) => Promise<ReadBody | RefusedBody>

/** Why a body is refused: invalid JSON, too many values, an invalid value, or not an object. */
export type RefusedBody =
  { kind: 'syntax' | 'size'; fault: string } | { kind: 'value' | 'request'; refusals: readonly Refusal[] }

/** The answer of the thread. */
export type ParsedBody = ReadBody | RefusedBody

/** Milliseconds for which nothing of a body may arrive while it has a thread, which others wait for. */
const longestPause = 30_000

/** Threads that parse at once; each may take some hundred megabytes. */
const maxThreads = 2
let threads = 0
const waiting: (() => void)[] = []

/**
 * Reads and parses a request body. Chunks of a large one, such as an import with its file, go to a thread as
 * they arrive: collecting them here would delay other requests. Its contents are limited before parsing.
 * @throws ApiError invalid_request, answered with 400 for invalid JSON and with 413 beyond the path's limits
 */
export async function readJsonBody(body: Readable, rules: BodyRules): Promise<ReadBody> {
  const pieces: Buffer[] = []
  let size = 0
  let parser: ParserThread | undefined
  let stalled: NodeJS.Timeout | undefined
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      size += piece.length
      if (size > rules.limit) throw invalidBody(413, refusal('body_too_large'))
      if (size > parsedHere && !parser) {
        parser = await ParserThread.start(rules)
        stalled = setTimeout(
          () => body.destroy(new Error('the rest of the body did not arrive')),
          longestPause
        )
      }
      stalled?.refresh()
      pieces.push(piece)
      if (!parser) continue
      for (const each of pieces.splice(0)) parser.push(each)
      // The rest of a body that is too large is not read.
      if (parser.hasAnswered) break
    }
    return resultOf(parser ? await parser.end() : parseJson(pieces, rules))
  } finally {
    clearTimeout(stalled)
    parser?.close()
  }
}

class ParserThread {
  readonly #thread: Worker
  readonly #answer: Promise<ParsedBody>
  hasAnswered = false

  /** Waits until there is room for one more. */
  static async start(rules: BodyRules): Promise<ParserThread> {
    if (threads >= maxThreads) await new Promise<void>((resolve) => waiting.push(resolve))
    threads++
    return new ParserThread(rules)
  }

  private constructor(rules: BodyRules) {
    this.#thread = startThread(import.meta.url, 'json-thread', {
      name: 'json',
      data: rules,
      heapMegabytes: 512
    })
    this.#answer = new Promise((resolve, reject) => {
      this.#thread.on('message', (parsed: ParsedBody) => {
        this.hasAnswered = true
        resolve(parsed)
      })
      this.#thread.on('error', reject)
    })
    // A failure is thrown where the answer is awaited, if it still is.
    this.#answer.catch(() => undefined)
  }

  push(piece: Buffer): void {
    this.#thread.postMessage(piece)
  }

  end(): Promise<ParsedBody> {
    this.#thread.postMessage(null)
    return this.#answer
  }

  close(): void {
    threads--
    void endThread(this.#thread)
    waiting.shift()?.()
  }
}

/**
 * Parses the pieces of a body that arrive at a port. Posts the result once a null message marks the end of the body, or as soon as
 * the body exceeds a limit.
 */
export function parseFrom(port: MessagePort, rules: BodyRules, check: CheckBody): void {
  const scanner = new JsonScanner(limitsOf(rules))
  let isOver = false
  const answer = (parsed: ParsedBody): void => {
    isOver = true
    const texts = 'longTexts' in parsed ? [...parsed.longTexts.values()] : []
    port.postMessage(parsed, [...new Set(texts.map(({ buffer }) => buffer))])
  }
  port.on('message', (piece: Uint8Array | null) => {
    if (isOver) return
    try {
      if (piece) return scanner.push(piece)
      const body = parseScanned(scanner, rules)
      if (body.values <= checkedHere || rules.schema === undefined) return answer(body)
      check(body).then(answer, (error: unknown) => answer(faultOf(error)))
    } catch (error) {
      answer(faultOf(error))
    }
  })
}

function limitsOf({ maxValues = defaultMaxValues, takesLongTexts }: BodyRules): {
  maxValues: number
  cutsFrom: number | null
} {
  return { maxValues, cutsFrom: takesLongTexts ? cutsFrom : null }
}

/** Parses the pieces of a text in UTF-8; nothing at all is an empty object. */
export function parseJson(pieces: Uint8Array[], rules: BodyRules): ParsedBody {
  const scanner = new JsonScanner(limitsOf(rules))
  try {
    for (const piece of pieces) scanner.push(piece)
    return parseScanned(scanner, rules)
  } catch (error) {
    return faultOf(error)
  }
}

function faultOf(error: unknown): RefusedBody {
  if (error instanceof ApiError) return { kind: 'value', refusals: error.refusals }
  const isTooLarge = error instanceof BodyRefusal && error.isTooLarge
  return { kind: isTooLarge ? 'size' : 'syntax', fault: messageOf(error) }
}

/** JSON can write half of a character, which no text in UTF-8 holds. */
const loneSurrogate = /\\u[dD][89a-fA-F]/

function parseScanned(scanner: JsonScanner, { linesKey }: BodyRules): ReadBody {
  const { text, cut } = scanner.end()
  if (text === '') return { value: {}, longTexts: cut, values: 0 }
  const parsed = JSON.parse(text) as unknown
  const value = loneSurrogate.test(text) ? wellFormed(parsed) : parsed
  if (linesKey !== undefined) extractLines(value, linesKey, cut)
  // Lines are not counted as values.
  const values = linesKey !== undefined && cut.has(linesKey) ? 0 : scanner.values
  return { value, longTexts: cut, values }
}

/** Puts a list of texts among the long texts, one a line; a list that holds anything else stays, for the schema to say so. */
function extractLines(value: unknown, key: string, longTexts: Map<string, Uint8Array<ArrayBuffer>>): void {
  if (typeof value !== 'object' || value === null) return
  const record = value as Record<string, unknown>
  const list = record[key]
  if (!Array.isArray(list)) return
  const wrong = list.findIndex((item) => typeof item !== 'string')
  if (wrong >= 0) throw validationFailed(refusal('type', { field: `${key}.${wrong}`, type: 'a string' }))
  // Line breaks within a text are replaced, since they separate the texts.
  const lines = (list as string[]).map((item) => item.trim().replaceAll('\n', '\r'))
  longTexts.set(key, new Uint8Array(Buffer.from(lines.join('\n'))))
  record[key] = []
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)])
  )
}

function resultOf(parsed: ParsedBody): ReadBody {
  if ('value' in parsed) return parsed
  switch (parsed.kind) {
    case 'value':
      throw new ApiError('validation_failed', parsed.refusals)
    case 'request':
      throw new ApiError('invalid_request', parsed.refusals)
    case 'size':
      throw invalidBody(413, refusal('body_holds_too_much', { fault: parsed.fault }))
    case 'syntax':
      throw invalidBody(400, refusal('body_not_json', { fault: parsed.fault }))
  }
}

function invalidBody(statusCode: number, reason: Refusal): Error {
  return Object.assign(new ApiError('invalid_request', reason), { statusCode })
}
