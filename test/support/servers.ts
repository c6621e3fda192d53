import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createConnection, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

// What starting real servers on loopback takes.

export function idOf(user: string, which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, user], { encoding: 'utf8' }))
}

/**
 * The ports for servers. Systems take those of connections and of port 0 from higher ones: such a port may be taken again while a server prepares
 * to listen.
 */
const [lowestPort, highestPort] = [10_000, 32_000]

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowestPort, highestPort)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    // Another program listens there.
    return false
  }
  server.close()
  await once(server, 'close')
  return true
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
