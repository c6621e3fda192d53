import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createConnection, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

// What starting real servers on loopback takes.

export function idOf(user: string, which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, user], { encoding: 'utf8' }))
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

export function reachable(port: number): Promise<void> {
  return until(async () => {
    const socket = createConnection(port, '127.0.0.1')
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(false))
    })
    socket.destroy()
    return isOpen
  })
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const began = performance.now(); !(await condition()); await pause(50)) {
    if (performance.now() - began > 20_000) throw new Error('a server did not start')
  }
}
