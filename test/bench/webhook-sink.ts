import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// A receiver of webhooks that takes everything, as a process of its own. It prints its port, and at the end of its input how many messages and
// how many events it took.

let [messages, events] = [0, 0]
const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => (text += chunk))
  request.on('end', () => {
    messages++
    events += text.split('"event_id":').length - 1
    response.writeHead(204).end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
process.stdin
  .on('data', () => process.stdout.write(`${messages} ${events}\n`))
  .on('end', () => process.exit(0))
