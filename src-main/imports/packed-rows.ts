/** Bytes of a block, in which many rows lie one after the other. */
const blockBytes = 1024 * 1024
/** UTF-8 takes at most this many bytes for a character of a JavaScript string. */
const maxBytesPerCharacter = 3
const lineFeed = 10

/**
 * Blocks for so many bytes of rows, all of one piece of memory; the system gives only those pages that are used. A piece of
 * more than 32 MB goes back to the system with its thread: smaller ones stay in a heap of malloc (glibc) that every thread
 * leaves behind, and a third import took 80 MB more than the first.
 */
export function freeBlocks(bytes: number): Buffer[] {
  const piece = Buffer.allocUnsafeSlow(bytes)
  const count = Math.floor(bytes / blockBytes)
  // In reverse order, since blocks are taken from the end.
  return Array.from({ length: count }, (_, index) => {
    const start = (count - 1 - index) * blockBytes
    return piece.subarray(start, start + blockBytes)
  })
}

/**
 * Rows as text, outside the JavaScript heap: a million of them would be the more work for the garbage collector the longer
 * they wait. The text of a row begins with its key, up to a line feed.
 */
export class PackedRows {
  readonly #pool: Buffer[]
  readonly #blocks: Buffer[] = []
  readonly #blockOfRow: Uint16Array
  readonly #starts: Uint32Array
  readonly #ends: Uint32Array
  #used = 0
  #count = 0
  #bytes = 0

  /**
   * @param pool blocks that are free ({@link freeBlocks}); those of this object come from it and go back to it
   * @param most how many rows there may be
   */
  constructor(pool: Buffer[], most: number) {
    this.#pool = pool
    this.#blockOfRow = new Uint16Array(most)
    this.#starts = new Uint32Array(most)
    this.#ends = new Uint32Array(most)
  }

  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#bytes
  }

  add(text: string): void {
    const most = text.length * maxBytesPerCharacter
    let block = this.#blocks.at(-1)
    if (!block || this.#used + most > block.length) {
      block =
        (most <= blockBytes ? this.#pool.pop() : undefined) ??
        Buffer.allocUnsafeSlow(Math.max(blockBytes, most))
      this.#blocks.push(block)
      this.#used = 0
    }
    const written = block.write(text, this.#used, 'utf8')
    this.#blockOfRow[this.#count] = this.#blocks.length - 1
    this.#starts[this.#count] = this.#used
    this.#used += written
    this.#ends[this.#count] = this.#used
    this.#count++
    this.#bytes += written
  }

  /** The bytes of some rows, one after the other. */
  join(rows: Uint32Array): Uint8Array {
    let length = 0
    for (const row of rows) length += this.bytesOf(row)
    const joined = Buffer.allocUnsafeSlow(length)
    let at = 0
    for (const row of rows) at += this.#blockOf(row).copy(joined, at, this.#starts[row], this.#ends[row])
    return joined
  }

  bytesOf(row: number): number {
    return (this.#ends[row] ?? 0) - (this.#starts[row] ?? 0)
  }

  text(row: number): string {
    return this.#blockOf(row).toString('utf8', this.#starts[row], this.#ends[row])
  }

  /** The byte of the row's key at an index, or 0 at the end of the key. */
  byteOfKey(row: number, index: number): number {
    const byte = this.#blockOf(row)[(this.#starts[row] ?? 0) + index] ?? 0
    return byte === lineFeed ? 0 : byte
  }

  /** Releases the memory. */
  clear(): void {
    for (const block of this.#blocks) if (block.length === blockBytes) this.#pool.push(block)
    this.#blocks.length = 0
    this.#count = 0
  }

  #blockOf(row: number): Buffer {
    return this.#blocks[this.#blockOfRow[row] ?? 0] as Buffer
  }
}
