import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type Answer, decode, encode, type Packet } from 'dns-packet'
import { onTestFinished } from 'vitest'

/** What names have in a DNS: by type, then by name. A name with 'fails' gets SERVFAIL. */
export interface Zone {
  TXT?: Record<string, string[] | 'fails'>
  MX?: Record<string, string[] | 'fails'>
  A?: Record<string, string[] | 'fails'>
}

/** Starts a DNS server on loopback that ends with the test. The zone may be changed meanwhile. */
export async function dnsServer(zone: Zone): Promise<{ address: string; asked: string[] }> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (message, { port, address }) => {
    const request = decode(message)
    const [question] = request.questions ?? []
    if (!question) return
    asked.push(`${question.type} ${question.name}`)
    const records = zone[question.type as keyof Zone]?.[question.name.toLowerCase()]
    const reply: Packet = {
      type: 'response',
      id: request.id,
      flags: records === 'fails' ? 2 : records === undefined ? 3 : 0,
      questions: [question],
      answers: Array.isArray(records)
        ? records.map((data) => answerOf(question.name, question.type as keyof Zone, data))
        : []
    }
    socket.send(encode(reply), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return { address: `127.0.0.1:${socket.address().port}`, asked }
}

function answerOf(name: string, type: keyof Zone, data: string): Answer {
  switch (type) {
    case 'TXT':
      // A string holds 255 bytes at most.
      return { name, type, ttl: 60, data: data.match(/.{1,255}/gs) ?? [''] }
    case 'MX':
      return { name, type, ttl: 60, data: { preference: 10, exchange: data } }
    case 'A':
      return { name, type, ttl: 60, data }
  }
}
