import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { Worker } from 'node:worker_threads'
import { ApiError, messageOf } from '../base/errors.ts'
import { endThread, startThread } from '../base/threads.ts'

/** Bytes up to which a body is parsed where it arrives: that takes a few milliseconds. */
const parsedHere = 256 * 1024

/** What the thread answers. */
export type ParsedBody = { value: unknown } | { fault: string }

/**
 * Reads and parses a request body. The pieces of a large one, such as an import with its file in it, go to a thread as
 * they come: gathering them here already takes longer than other requests should wait.
 * @param limit most bytes
 * @throws ApiError invalid_request, answered with 400, for what is no JSON; an error with status 413 beyond the limit
 */
export async function readJsonBody(body: Readable, limit: number): Promise<unknown> {
  const pieces: Buffer[] = []
  let size = 0
  let thread: Worker | undefined
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      size += piece.length
      if (size > limit) throw Object.assign(new Error('the body is too large'), { statusCode: 413 })
      if (size > parsedHere) thread ??= startParser()
      pieces.push(piece)
      if (thread) for (const each of pieces.splice(0)) thread.postMessage(each)
    }
    return valueOf(thread ? await parsedBy(thread) : parseJson(pieces))
  } finally {
    if (thread) void endThread(thread)
  }
}

function startParser(): Worker {
  const thread = startThread(import.meta.url, 'json-thread', { name: 'json' })
  // Whoever waits for its answer is told; nobody does yet, or any more.
  thread.on('error', () => undefined)
  return thread
}

/** Parses the pieces of a text in UTF-8; nothing at all is an empty object. */
export function parseJson(pieces: Uint8Array[]): ParsedBody {
  const decoder = new TextDecoder()
  const text = pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode()
  if (text === '') return { value: {} }
  if (isTooDeep(text)) return { fault: `it is nested deeper than ${maxDepth} levels` }
  try {
    const value = JSON.parse(text) as unknown
    return { value: loneSurrogate.test(text) ? wellFormed(value) : value }
  } catch (error) {
    return { fault: messageOf(error) }
  }
}

/** Levels of arrays and objects: no resource has as many, and deeper ones do not pass between threads. */
const maxDepth = 100

function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === quote) {
      for (at++; at < text.length && text.charCodeAt(at) !== quote; at++) {
        if (text.charCodeAt(at) === backslash) at++
      }
    } else if (character === openBrace || character === openBracket) {
      if (++depth > maxDepth) return true
    } else if (character === closeBrace || character === closeBracket) depth--
  }
  return false
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [34, 92, 123, 125, 91, 93]

/** JSON can write half of a character, which no text in UTF-8 holds. */
const loneSurrogate = /\\u[dD][89a-fA-F]/

/** The value with U+FFFD in place of halves of characters. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)])
  )
}

async function parsedBy(thread: Worker): Promise<ParsedBody> {
  const answer = once(thread, 'message')
  thread.postMessage(null)
  const [parsed] = (await answer) as [ParsedBody]
  return parsed
}

function valueOf(parsed: ParsedBody): unknown {
  if ('value' in parsed) return parsed.value
  const fault = new ApiError('invalid_request', `the request body is not JSON: ${parsed.fault}`)
  throw Object.assign(fault, { statusCode: 400 })
}
