import { connect, type Socket } from 'node:net'
import { readFileSync } from 'node:fs'
import { percentile } from './statistics.ts'

/** A call as text, by its number: 0, 1, 2, … */
export type NumberedCall = (number: number) => {
  method: string
  path: string
  body?: unknown
  /** Lines of the header, each with its end. */
  headers?: string
}

export interface LoadFigures {
  calls_per_second: number
  /** Processor time of the server, all its threads, per call. */
  cpu_ms_per_call: number
  p50_ms: number
  p99_ms: number
}

export interface LoadTarget {
  url: string
  authorization?: string
  pid: number
}

/** Milliseconds per clock tick of /proc/PID/stat: USER_HZ is 100 on every Linux that Node runs on. */
const tick = 10

/**
 * Makes calls without a pause on so many connections, for so many seconds. Answers are framed by their Content-Length and else not read,
 * so that this process takes little of the cores it shares with the server.
 * @throws if an answer is not a success
 */
export async function measureLoad(
  { url, authorization = '', pid }: LoadTarget,
  call: NumberedCall,
  { clients, seconds }: { clients: number; seconds: number }
): Promise<LoadFigures> {
  const { hostname, port } = new URL(url)
  const times: number[] = []
  const cpuBefore = processorTime(pid)
  const began = performance.now()
  const until = began + seconds * 1000
  let number = 0
  const client = async (): Promise<void> => {
    const connection = new Connection(connect(Number(port), hostname))
    try {
      while (performance.now() < until) {
        const sent = performance.now()
        await connection.call(asText(call(number++), hostname, port, authorization))
        times.push(performance.now() - sent)
      }
    } finally {
      connection.end()
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const elapsed = performance.now() - began
  return {
    calls_per_second: times.length / (elapsed / 1000),
    cpu_ms_per_call: (processorTime(pid) - cpuBefore) / times.length,
    p50_ms: percentile(times, 0.5),
    p99_ms: percentile(times, 0.99)
  }
}

function asText(
  { method, path, body, headers = '' }: ReturnType<NumberedCall>,
  hostname: string,
  port: string,
  authorization: string
): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  return (
    `${method} ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n` +
    headers +
    (authorization && `Authorization: ${authorization}\r\n`) +
    (text && 'Content-Type: application/json\r\n') +
    `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  )
}

/** A connection that carries one call at a time. */
class Connection {
  readonly #socket: Socket
  #head = ''
  #remaining = -1
  #resolve: (() => void) | null = null
  #reject: ((error: Error) => void) | null = null

  constructor(socket: Socket) {
    this.#socket = socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('error', (error) => this.#reject?.(error))
    socket.on('close', () => this.#reject?.(new Error('the server closed the connection')))
  }

  call(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#socket.write(text)
    })
  }

  end(): void {
    this.#reject = null
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    if (this.#remaining < 0) {
      this.#head += chunk.toString('latin1')
      const end = this.#head.indexOf('\r\n\r\n')
      if (end === -1) return
      const length = /\r\ncontent-length: (\d+)/i.exec(this.#head)?.[1]
      if (!this.#head.startsWith('HTTP/1.1 200') || length === undefined) {
        this.#reject?.(new Error(`not a success of known length: ${this.#head.slice(0, 1000)}`))
        return
      }
      this.#remaining = Number(length) - (this.#head.length - end - 4)
    } else {
      this.#remaining -= chunk.length
    }
    if (this.#remaining > 0) return
    this.#head = ''
    this.#remaining = -1
    this.#resolve?.()
  }
}

/** Milliseconds of processor time that a process and its threads have taken (proc_pid_stat(5), utime and stime); NaN elsewhere. */
function processorTime(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * tick
}
