import { Agent, type Dispatcher, request } from 'undici'
import { maxAnswerLength } from '../api/webhooks/rules.ts'
import { guardedLookup, isGuardedHost } from '../base/address-guard.ts'
import { messageOf } from '../base/errors.ts'
import { englishOf, refusal } from '../base/refusal.ts'
import { signatureOf } from './signature.ts'

/** Milliseconds until a connection, and until the whole answer. */
const [connectWithin, answerWithin] = [10_000, 15_000]
/** Bytes of an answer that are read: its beginning tells what it is. */
const maxAnswerBytes = 16 * 1024

/** Requests to a receiver at the same time. */
export const maxConnections = 16

/** What became of an attempt. */
export interface Attempt {
  isAccepted: boolean
  /** The HTTP status; null = there was no answer. */
  status: number | null
  /** The beginning of the answer, or why there was none. */
  answer: string
  /** When it began, in UNIX milliseconds, and what it took. */
  at: number
  milliseconds: number
}

export interface Receiver {
  url: string
  allowsPrivate: boolean
  secrets: readonly string[]
}

function privateAddress(host: string): Error {
  return new Error(englishOf(refusal('webhook_private', { host })))
}

/** The server at the address of a webhook. */
export class WebhookClient {
  readonly #receiver: Receiver
  readonly #agent: Agent

  constructor(receiver: Receiver) {
    this.#receiver = receiver
    this.#agent = new Agent({
      connections: maxConnections,
      connect: {
        timeout: connectWithin,
        ...(!receiver.allowsPrivate && { lookup: guardedLookup(privateAddress) })
      }
    })
  }

  /** Sends a message once. Redirects are not followed: they would lead to an address that nobody has allowed. */
  async send(id: string, body: string): Promise<Attempt> {
    const { url, allowsPrivate, secrets } = this.#receiver
    const at = Date.now()
    const began = performance.now()
    const ended = (result: Pick<Attempt, 'isAccepted' | 'status' | 'answer'>): Attempt => ({
      ...result,
      at,
      milliseconds: Math.round(performance.now() - began)
    })
    const timestamp = Math.floor(at / 1000)
    try {
      const address = new URL(url)
      if (!allowsPrivate && isGuardedHost(address)) throw privateAddress(address.hostname)
      const { statusCode: status, body: answer } = await request(address, {
        method: 'POST',
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(answerWithin),
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Listwright',
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': signatureOf({ id, timestamp, body }, secrets)
        },
        body
      })
      const isAccepted = status >= 200 && status < 300
      return ended({ isAccepted, status, answer: await beginningOf(answer) })
    } catch (error) {
      return ended({ isAccepted: false, status: null, answer: wordsOf(error).slice(0, maxAnswerLength) })
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }
}

/** Reads the beginning of an answer; the rest of a long one is not waited for. What breaks off does not matter: the status has come. */
async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  let text = ''
  let bytes = 0
  const decoder = new TextDecoder()
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      text += decoder.decode(chunk, { stream: true })
      bytes += chunk.length
      if (bytes > maxAnswerBytes) break
    }
  } catch (error) {
    text ||= messageOf(error)
  }
  return text.slice(0, maxAnswerLength)
}

function wordsOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return `no answer within ${answerWithin / 1000} seconds`
  // The attempts at several addresses of one host have no message of their own.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ')
  return messageOf(error)
}
