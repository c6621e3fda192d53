import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { endTimeout } from './limits.ts'
import type { DatabaseTarget } from './remote-database.ts'
import { tlsOf } from './tls.ts'

// PostgreSQL's request to stop a query comes over a connection of its own (its documentation, "Canceling Requests in Progress").

const [cancelCode, tlsCode] = [80_877_102, 80_877_103]

/** Asks a server to stop what a connection runs. What goes wrong is ignored: the server's time limit ends the query then. */
export async function requestCancel(
  target: DatabaseTarget,
  { processId, secretKey }: { processId: number; secretKey: number }
): Promise<void> {
  const socket = connect(target.port, target.host)
  const request = numbers(16, cancelCode, processId, secretKey)
  const isDone = new Promise<void>((resolve) => {
    socket.once('error', () => resolve())
    socket.once('close', () => resolve())
    socket.once('connect', () => {
      if (target.tls === 'none') socket.write(request)
      else askForTls(socket, target, request)
    })
  })
  await Promise.race([isDone, pause(endTimeout, undefined, { ref: false })])
  socket.destroy()
}

function askForTls(socket: Socket, target: DatabaseTarget, request: Buffer): void {
  socket.write(numbers(8, tlsCode))
  socket.once('data', () => {
    const secure = connectTls({ socket, host: target.host, ...tlsOf(target) }, () => secure.write(request))
    secure.once('error', () => socket.destroy())
    secure.once('close', () => socket.destroy())
  })
}

/** The 32-bit numbers of a message, the first of which is its length. */
function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeInt32BE(value, index * 4)
  return bytes
}
