import type { StoredValues } from './rules.ts'

const backslash = 92
const zero = 48

/**
 * Finds the values of some fields in the stored JSON of a subscriber (subscribers.custom_fields) without parsing it, in a third of the time.
 */
export class ValueScanner {
  readonly #fieldIds: readonly number[]
  /** By field id. */
  readonly #positions: (number | undefined)[] = []
  readonly #found: (string | null)[]
  #hasOthers = false

  /** @param fieldIds in the order of the result */
  constructor(fieldIds: readonly number[]) {
    this.#fieldIds = fieldIds
    for (const [index, id] of fieldIds.entries()) this.#positions[id] = index
    this.#found = fieldIds.map(() => null)
  }

  /** True if what was scanned last has values of other fields. */
  get hasOthers(): boolean {
    return this.#hasOthers
  }

  /**
   * @param stored as JSON.stringify or SQLite writes it; other JSON is parsed
   * @returns the JSON of each value as it is stored, null for a field without one; holds until the next call
   */
  scan(stored: string): readonly (string | null)[] {
    const found = this.#found.fill(null)
    this.#hasOthers = false
    const end = stored.length - 1
    // `at` is the quote before a key, `colon` the one after it, `next` the comma or brace after its value.
    for (let at = 1, next: number; at < end; at = next + 1) {
      let id = 0
      let colon = at + 1
      for (let digit; (digit = stored.charCodeAt(colon) - zero) >= 0 && digit <= 9; colon++) {
        id = id * 10 + digit
      }
      colon++
      next = stored.startsWith('":', colon - 1) ? endOfValue(stored, colon + 1) : -1
      if (next === -1) return this.#parse(stored)
      const position = this.#positions[id]
      if (position === undefined) this.#hasOthers = true
      else found[position] = stored.slice(colon + 1, next)
    }
    return found
  }

  #parse(stored: string): readonly (string | null)[] {
    const values = JSON.parse(stored) as StoredValues
    this.#hasOthers = Object.keys(values).some((id) => this.#positions[Number(id)] === undefined)
    return this.#fieldIds.map((id) => (values[id] === undefined ? null : JSON.stringify(values[id])))
  }
}

/** Returns where the comma or brace after a value is, or -1 if the value is neither a text, a word, a number nor an array of numbers. */
function endOfValue(stored: string, at: number): number {
  const first = stored.charAt(at)
  if (first === '"') return endOfText(stored, at)
  if (first === '[') return stored.indexOf(']', at) + 1 || -1
  if (first === '{') return -1
  const comma = stored.indexOf(',', at)
  return comma === -1 ? stored.length - 1 : comma
}

function endOfText(stored: string, at: number): number {
  for (let end = stored.indexOf('"', at + 1); end !== -1; end = stored.indexOf('"', end + 1)) {
    let before = end - 1
    while (stored.charCodeAt(before) === backslash) before--
    const isEscaped = (end - before) % 2 === 0
    if (!isEscaped) return end + 1
  }
  return -1
}
