import { fastify } from 'fastify'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// A process that answers every call with the same JSON: node peer-server.ts KIND FILE. It prints its address.

export type PeerKind = 'node, bytes' | 'fastify, bytes' | 'fastify, object'

const [kind, path = ''] = process.argv.slice(2) as [PeerKind, string]
const bytes = readFileSync(path)

if (kind === 'node, bytes') {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length }).end(bytes)
  })
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
  })
} else {
  const app = fastify()
  const object: unknown = JSON.parse(bytes.toString())
  app.get('/*', async (_request, reply) => {
    if (kind === 'fastify, object') return object
    void reply.type('application/json')
    return bytes
  })
  process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
}
