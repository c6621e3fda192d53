import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface FileServer {
  url: string
  requests: number
  connections(): Promise<number>
}

/** A web server that answers each request by `answer`, until the test ends. */
export async function serveFiles(
  answer: (request: IncomingMessage, response: ServerResponse, number: number) => void
): Promise<FileServer> {
  const server = createServer((request, response) => answer(request, response, ++served.requests))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const served: FileServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/people.csv`,
    requests: 0,
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
      )
  }
  return served
}
