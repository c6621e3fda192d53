import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** An answer of the server behind the proxy, as a lie may change it. */
export interface ProxiedAnswer {
  status: number
  headers: Record<string, string>
  /** The envelope, where it is JSON. */
  body: Record<string, unknown>
  /** Sent instead of the envelope. */
  text?: string
}

/** Changes an answer in place. @param path begins after /ga/api/v2 and ends before the query */
export type Lie = (answer: ProxiedAnswer, path: string, url: URL) => void

export interface LyingProxy {
  baseUrl: string
  /** The answer that replaces the real one. */
  lie: Lie
  requests: number
}

/** A server that answers what another one does, unless it lies. It ends with the test. */
export async function startLyingProxy(target: string): Promise<LyingProxy> {
  const proxy: LyingProxy = { baseUrl: '', lie: () => undefined, requests: 0 }
  const server = createServer((request, response) => {
    void answerOf(target, request).then(
      ({ answer, url }) => {
        proxy.requests++
        proxy.lie(answer, url.pathname.replace('/ga/api/v2', ''), url)
        response.writeHead(answer.status, answer.headers).end(answer.text ?? JSON.stringify(answer.body))
      },
      // The server behind it may be gone.
      () => response.destroy()
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  proxy.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}

async function answerOf(
  target: string,
  request: IncomingMessage
): Promise<{ answer: ProxiedAnswer; url: URL }> {
  const url = new URL(request.url ?? '/', target)
  const body = await buffer(request)
  const response = await fetch(url, {
    method: request.method ?? 'GET',
    headers: { authorization: request.headers.authorization ?? '' },
    ...(body.length > 0 && { body })
  })
  const text = await response.text()
  const type = response.headers.get('content-type') ?? 'application/json'
  const isJson = type.includes('json')
  const answer: ProxiedAnswer = {
    status: response.status,
    headers: { 'content-type': type },
    body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
    ...(!isJson && { text })
  }
  return { answer, url }
}
