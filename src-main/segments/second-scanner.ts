import { availableParallelism } from 'node:os'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { FoundPieces, SharedScan } from './shared-scan.ts'

/** A request of the segment thread for a second scanner, with the port on which that receives scans. */
export interface ScannerWanted {
  scannerPort: MessagePort
}

export interface ScanRequest {
  id: number
  scan: SharedScan
}

export interface ScanReply {
  id: number
  /** null after a fault, which the other scanner meets as well if it lasts. */
  found: FoundPieces | null
}

/**
 * A second thread that scans with the calling one. It starts with the first scan, and starts again with the next one if it has ended. The main
 * thread starts and ends it, so that it is never ended while it loads.
 */
export class SecondScanner {
  readonly #want: (wanted: ScannerWanted) => void
  readonly #waiting = new Map<number, (found: FoundPieces) => void>()
  #port: MessagePort | null = null
  #nextId = 1

  /** @param want has a thread started, which scans what arrives at the port */
  constructor(want: (wanted: ScannerWanted) => void) {
    this.#want = want
  }

  /** @returns what the thread found; nothing if there is one core only, or after a fault */
  scan(scan: SharedScan): Promise<FoundPieces> {
    if (availableParallelism() === 1) return Promise.resolve(new Map())
    const port = (this.#port ??= this.#connect())
    const id = this.#nextId++
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      port.postMessage({ id, scan } satisfies ScanRequest)
    })
  }

  #connect(): MessagePort {
    const { port1, port2 } = new MessageChannel()
    port1.on('message', ({ id, found }: ScanReply) => {
      this.#waiting.get(id)?.(found ?? new Map())
      this.#waiting.delete(id)
    })
    port1.once('close', () => {
      this.#port = null
      for (const resolve of this.#waiting.values()) resolve(new Map())
      this.#waiting.clear()
    })
    this.#want({ scannerPort: port2 })
    return port1
  }
}
