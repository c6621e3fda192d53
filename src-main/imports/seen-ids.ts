const idsPerBlock = 1024

/** A set of subscriber ids that takes about a bit per id. */
export class SeenIds {
  readonly #blocks = new Map<number, Uint32Array>()

  /** @returns whether the id was not in the set before */
  add(id: number): boolean {
    const number = Math.floor(id / idsPerBlock)
    let block = this.#blocks.get(number)
    if (!block) {
      block = new Uint32Array(idsPerBlock / 32)
      this.#blocks.set(number, block)
    }
    const bit = id % idsPerBlock
    const word = block[bit >> 5] ?? 0
    const mask = 1 << (bit & 31)
    if (word & mask) return false
    block[bit >> 5] = word | mask
    return true
  }
}
