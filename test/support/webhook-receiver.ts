import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { Event } from '../../src-main/api/events/schema.ts'
import { freePort } from './servers.ts'

export interface ReceivedRequest {
  id: string
  headers: IncomingHttpHeaders
  body: string
  /** UNIX milliseconds. */
  at: number
}

export interface WebhookReceiver {
  url: string
  requests: ReceivedRequest[]
  /** The status of the next answers; the default takes everything. */
  answer: (request: ReceivedRequest) => number
  /** The events of all requests that were accepted, in order. */
  accepted: Event[]
  close: () => Promise<void>
}

/** Starts a server that webhooks send to; it ends with the test. @param port left out = a free one */
export async function webhookReceiver(port?: number): Promise<WebhookReceiver> {
  const receiver: WebhookReceiver = {
    ...{ url: '', requests: [], accepted: [], answer: () => 200 },
    close: async () => {
      server.closeAllConnections()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
    }
  }
  const server = createServer((message, response) => {
    void text(message).then((body) => {
      const id = String(message.headers['webhook-id'])
      const request = { id, headers: message.headers, body, at: Date.now() }
      receiver.requests.push(request)
      const status = receiver.answer(request)
      if (status < 300) receiver.accepted.push(...([JSON.parse(body)] as (Event | Event[])[]).flat())
      response.writeHead(status).end(`answer ${status}`)
    })
  })
  server.listen(port ?? (await freePort()), '127.0.0.1')
  await once(server, 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  onTestFinished(receiver.close)
  return receiver
}
