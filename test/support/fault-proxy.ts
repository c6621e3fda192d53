import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { extensionsHeader } from '../../src-main/http/extensions.ts'

/** What happens to a request. */
export type Fault =
  | 'none'
  /** It takes a while. */
  | 'slow'
  /** The connection is cut before the server hears of it. */
  | 'lost'
  /** The server does it, and the connection is cut before its answer. */
  | 'unanswered'
  /** The answer is cut in its middle. */
  | 'truncated'
  /** The answer comes twice, one after the other. */
  | 'doubled'
  | 'too many'
  | 'broken'
  /** A page of a gateway. */
  | 'gateway'
  /** To another host. */
  | 'redirected'
  /** Success, with the data of another record. */
  | 'lying'
  /** Every line of the answer begins with the same id. */
  | 'same id'
  /** The server knows no such call. */
  | 'unknown'
  /** The server knows the call, and not what is in it. */
  | 'refused'

/** A request that came by, as a test sees it. */
export interface PassedRequest {
  method: string
  /** With its query, after the API's prefix. */
  path: string
  body: unknown
  /** When the server was called and had answered, by performance.now(); Infinity = not yet, or never. */
  handedOnAt: number
  answeredAt: number
}

/** Stands between an application and its server. */
export interface FaultProxy {
  baseUrl: string
  target: string
  /** True if the server seems to have no extensions. */
  hidesExtensions: boolean
  /** Asked for each request, which waits for the answer. */
  faultOf: (passed: PassedRequest) => Fault | Promise<Fault>
  passed: PassedRequest[]
}

const instead: Partial<Record<Fault, { status: number; headers: Record<string, string>; body: string }>> = {
  'too many': { status: 429, headers: { 'retry-after': '1' }, body: '{"success":false,"data":null}' },
  broken: {
    status: 500,
    headers: {},
    body: '{"success":false,"data":null,"error_code":"internal_error","error_message":"Something broke"}'
  },
  gateway: { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>502 Bad Gateway</h1>' },
  unknown: {
    status: 404,
    headers: { 'content-type': 'application/json' },
    body: '{"success":false,"data":null,"error_code":"not_found","error_message":"Not found"}'
  },
  refused: {
    status: 400,
    headers: { 'content-type': 'application/json' },
    body: '{"error":"params/key must match"}'
  },
  redirected: { status: 302, headers: { location: 'http://127.0.0.2:9/elsewhere' }, body: '' },
  lying: {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      success: true,
      data: {
        id: 999_999,
        name: 'Somebody else',
        email: 'else@example.com',
        status: 'active',
        custom_fields: {}
      },
      error_code: null,
      error_message: null
    })
  }
}

/** Starts a proxy that ends with the test. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const proxy: FaultProxy = { baseUrl: '', target, hidesExtensions: false, faultOf: () => 'none', passed: [] }
  const server = createServer((incoming, answer) => {
    void carry(proxy, incoming, answer).catch(() => answer.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  proxy.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return proxy
}

async function carry(proxy: FaultProxy, incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
  const sent = await bytesOf(incoming)
  const path = (incoming.url ?? '').replace('/ga/api/v2', '')
  const passed = {
    method: incoming.method ?? '',
    path,
    body: sent.length > 0 ? (JSON.parse(sent.toString()) as unknown) : null,
    handedOnAt: Infinity,
    answeredAt: Infinity
  }
  proxy.passed.push(passed)
  const fault = await proxy.faultOf(passed)
  if (fault === 'lost') return void incoming.socket.destroy()
  if (fault === 'slow') await pause(30)
  const other = instead[fault]
  if (other) {
    answer.writeHead(other.status, other.headers)
    return void answer.end(other.body)
  }
  passed.handedOnAt = performance.now()
  const { status, headers, body } = await forward(proxy.target, incoming, sent, fault === 'same id')
  if (proxy.hidesExtensions) delete headers[extensionsHeader]
  passed.answeredAt = performance.now()
  if (fault === 'unanswered') return void incoming.socket.destroy()
  answer.writeHead(status, { ...headers, ...(fault === 'doubled' && { 'content-length': body.length * 2 }) })
  if (fault === 'truncated') {
    answer.write(body.subarray(0, Math.floor(body.length / 2)))
    return void setImmediate(() => incoming.socket.destroy())
  }
  if (fault === 'doubled') answer.write(body)
  answer.end(body)
}

function forward(
  target: string,
  incoming: IncomingMessage,
  sent: Buffer,
  hasSameIds: boolean
): Promise<{ status: number; headers: Record<string, string>; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const { host } = new URL(target)
    const onward = request(target + (incoming.url ?? ''), {
      method: incoming.method,
      headers: { ...incoming.headers, host, connection: 'close' }
    })
    onward.on('error', reject)
    onward.on('response', (response) => {
      bytesOf(response).then((bytes) => {
        const body = hasSameIds ? Buffer.from(bytes.toString().replaceAll(/^\d+/gm, '7')) : bytes
        const { 'content-type': type = 'application/json', [extensionsHeader]: extensions } = response.headers
        const headers = {
          'content-type': type,
          'content-length': String(body.length),
          ...(extensions !== undefined && { [extensionsHeader]: String(extensions) })
        }
        resolve({ status: response.statusCode ?? 0, headers, body })
      }, reject)
    })
    onward.end(sent)
  })
}

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece)
  return Buffer.concat(pieces)
}
