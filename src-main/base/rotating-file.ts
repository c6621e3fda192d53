import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** A file that texts are appended to, and that becomes `….1` when it is full, `….2` after that, and so on; the oldest is dropped. */
export class RotatingFile {
  readonly #path: string
  readonly #maxBytes: number
  readonly #kept: number

  constructor(path: string, { maxBytes, kept }: { maxBytes: number; kept: number }) {
    this.#path = path
    this.#maxBytes = maxBytes
    this.#kept = kept
    mkdirSync(dirname(path), { recursive: true })
  }

  append(text: string): void {
    const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0
    if (size > 0 && size + Buffer.byteLength(text) > this.#maxBytes) this.#rotate()
    appendFileSync(this.#path, text, { mode: 0o600 })
  }

  #rotate(): void {
    for (let number = this.#kept; number >= 1; number--) {
      const from = number === 1 ? this.#path : `${this.#path}.${number - 1}`
      if (existsSync(from)) renameSync(from, `${this.#path}.${number}`)
    }
  }
}
