import type { Socket } from 'node:net'

/** The longest wait for a connection, in milliseconds. */
export const connectTimeout = 15_000
/** The longest wait for a server to end a connection in order, in milliseconds. */
export const endTimeout = 2000

/** Bytes that the rows of one batch may have: drivers hold a row in memory as a whole before they hand it over. */
export const maxBatchBytes = 64 * 1024 * 1024
/** How often the bytes are counted, in milliseconds. */
const countedEvery = 20

/** Watches the bytes that arrive between two batches, and ends a connection that gets more than a batch may have. */
export class ByteWatch {
  readonly #socket: () => Socket
  readonly #timer: NodeJS.Timeout
  #mark = 0
  /** True once it has ended the connection. */
  isExceeded = false

  constructor(socket: () => Socket) {
    this.#socket = socket
    this.#timer = setInterval(() => this.#check(), countedEvery).unref()
  }

  /** Begins to count anew. @returns the bytes since the last time */
  restart(): number {
    const read = this.#socket().bytesRead
    const bytes = read - this.#mark
    this.#mark = read
    return bytes
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #check(): void {
    if (this.isExceeded || this.#socket().bytesRead - this.#mark <= maxBatchBytes) return
    this.isExceeded = true
    // Drivers notice only a socket that is destroyed with an error.
    this.#socket().destroy(new Error('too many bytes'))
  }
}

/** Rows of the first batch, and at most: rows of 64 kB fit also after a great many short ones. */
const [firstRows, mostRows] = [20, 1000]
/** A batch has at most so many times the rows of the one before, which may have been shorter. */
const mostGrowth = 4
/** Bytes of a batch that is neither slow to ask for nor large in memory. */
const wantedBytes = 1024 * 1024

/** Returns how many rows to ask for next, after a batch of some rows and bytes. */
export function nextBatchSize(before: { rows: number; bytes: number } | null): number {
  if (before === null || before.rows === 0) return firstRows
  const fitting = Math.floor((wantedBytes * before.rows) / Math.max(1, before.bytes))
  return Math.max(1, Math.min(mostRows, before.rows * mostGrowth, fitting))
}
