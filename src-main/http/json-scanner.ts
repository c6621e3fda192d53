/** Limits of a body's contents. */
export interface BodyLimits {
  /** Values, keys and containers: each takes memory many times its length once it is parsed. */
  maxValues: number
  /** Bytes from which a string is cut out; null = none is. */
  cutsFrom: number | null
}

/** A body that is refused before it is parsed. */
export class BodyRefusal extends Error {
  /** True for one that holds too much, false for one that is no JSON. */
  readonly isTooLarge: boolean

  constructor(message: string, isTooLarge: boolean) {
    super(message)
    this.name = 'BodyRefusal'
    this.isTooLarge = isTooLarge
  }
}

/** A body with placeholders for its long strings. */
export interface ScannedBody {
  text: string
  /** UTF-8, by the key that stands in its place. */
  cut: Map<string, Uint8Array<ArrayBuffer>>
}

/** Maximum nesting depth of arrays and objects. No resource is nested this deeply, and deeper values cannot be posted between threads. */
const maxDepth = 100

const [quote, backslash, comma, colon] = [34, 92, 44, 58]
const mark = Buffer.from([quote])
const [openBrace, closeBrace, openBracket, closeBracket] = [123, 125, 91, 93]

/**
 * Reads a JSON text in chunks before it is parsed: counts values, and cuts out long strings, whose bytes then
 * take no memory of the JavaScript heap. Malformed text is left to the parser.
 */
export class JsonScanner {
  readonly #limits: BodyLimits
  readonly #kept: Uint8Array[] = []
  readonly #cut = new Map<string, Uint8Array<ArrayBuffer>>()
  /** The raw bytes of the string that the scanner is in, without its quotes; null = it is in none. */
  #string: Uint8Array[] | null = null
  #stringLength = 0
  /** True if the next byte of the string is escaped. */
  #isEscaped = false
  #depth = 0
  #values = 1

  constructor(limits: BodyLimits) {
    this.#limits = limits
  }

  get values(): number {
    return this.#values
  }

  /** @throws BodyRefusal as soon as the body holds too much */
  push(piece: Uint8Array): void {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    if (this.#limits.cutsFrom === null) this.#kept.push(bytes)
    for (let at = 0; at < bytes.length;) {
      at = this.#string ? this.#scanString(bytes, at) : this.#scanStructure(bytes, at)
    }
  }

  /** The body, once all of its pieces were pushed. */
  end(): ScannedBody {
    if (this.#string) this.#keep(mark, ...this.#string)
    const decoder = new TextDecoder()
    const text = this.#kept.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode()
    return { text, cut: this.#cut }
  }

  #scanStructure(bytes: Buffer, from: number): number {
    let at = from
    for (; at < bytes.length; at++) {
      const byte = bytes[at]
      if (byte === quote) break
      if (byte === comma || byte === colon) this.#values++
      else if (byte === openBrace || byte === openBracket) {
        this.#values++
        if (++this.#depth > maxDepth) {
          throw new BodyRefusal(`it is nested deeper than ${maxDepth} levels`, false)
        }
      } else if (byte === closeBrace || byte === closeBracket) this.#depth--
    }
    if (this.#values > this.#limits.maxValues) {
      throw new BodyRefusal(`it holds more than ${this.#limits.maxValues} values`, true)
    }
    this.#keep(bytes.subarray(from, at))
    if (at === bytes.length) return at
    this.#string = []
    this.#stringLength = 0
    return at + 1
  }

  #scanString(bytes: Buffer, from: number): number {
    let at = from
    if (this.#isEscaped) {
      this.#isEscaped = false
      at++
    }
    for (; at < bytes.length; at++) {
      if (bytes[at] === quote) {
        this.#pushString(bytes.subarray(from, at))
        this.#endString()
        return at + 1
      }
      if (bytes[at] === backslash) {
        at++
        this.#isEscaped = at >= bytes.length
      }
    }
    this.#pushString(bytes.subarray(from))
    return bytes.length
  }

  #pushString(part: Uint8Array): void {
    if (this.#limits.cutsFrom === null) return
    this.#string?.push(part)
    this.#stringLength += part.length
  }

  #endString(): void {
    const parts = this.#string ?? []
    this.#string = null
    const { cutsFrom } = this.#limits
    const text = cutsFrom !== null && this.#stringLength >= cutsFrom ? textOf(Buffer.concat(parts)) : null
    if (!text) return this.#keep(mark, ...parts, mark)
    // The key is random: no request can contain it.
    const key = crypto.randomUUID()
    this.#cut.set(key, text)
    this.#keep(mark, Buffer.from(key), mark)
  }

  /** Copies parts of a text from which others may be cut out; other text is kept as it arrives. */
  #keep(...parts: Uint8Array[]): void {
    if (this.#limits.cutsFrom !== null) this.#kept.push(...parts)
  }
}

/** The character for an escape after a backslash, as bytes; 0 = invalid. */
const escapes = new Uint8Array(256)
for (const [escape, text] of Object.entries({
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t'
})) {
  escapes[escape.charCodeAt(0)] = text.charCodeAt(0)
}
const letterU = 117
/** Stands for half of a character, which no text in UTF-8 holds. */
const replacement = 0xfffd

/** The text of a JSON string in UTF-8; null where it is not well formed. @param raw between its quotes */
function textOf(raw: Buffer): Uint8Array<ArrayBuffer> | null {
  const text = new Uint8Array(raw.length)
  let length = 0
  for (let at = 0; at < raw.length;) {
    const byte = raw[at++] ?? 0
    if (byte < 32) return null
    if (byte !== backslash) {
      text[length++] = byte
      continue
    }
    const escape = raw[at++] ?? 0
    if (escape !== letterU) {
      const escaped = escapes[escape] ?? 0
      if (escaped === 0) return null
      text[length++] = escaped
      continue
    }
    const point = escapedPoint(raw, at)
    if (point < 0) return null
    at += point > 0xffff ? 10 : 4
    length = writeUtf8(text, length, point)
  }
  return text.subarray(0, length)
}

/**
 * Returns the code point that the digits after `\u` stand for. Two escapes, of which each is half of a character, stand for one point above
 * 0xffff; a half alone becomes {@link replacement}.
 * @returns -1 if the digits are not valid
 */
function escapedPoint(raw: Buffer, at: number): number {
  const unit = unitAt(raw, at)
  const isPair = isHigh(unit) && raw[at + 4] === backslash && raw[at + 5] === letterU
  const low = isPair ? unitAt(raw, at + 6) : -1
  if (isLow(low)) return ((unit - 0xd800) << 10) + (low - 0xdc00) + 0x10000
  return isHigh(unit) || isLow(unit) ? replacement : unit
}

/** Writes a code point, which takes no more bytes than its escape did. @returns where the next one goes */
function writeUtf8(text: Uint8Array, at: number, point: number): number {
  if (point < 0x80) {
    text[at] = point
    return at + 1
  }
  if (point < 0x800) {
    text[at] = 0xc0 | (point >> 6)
    text[at + 1] = 0x80 | (point & 63)
    return at + 2
  }
  if (point < 0x10000) {
    text[at] = 0xe0 | (point >> 12)
    text[at + 1] = 0x80 | ((point >> 6) & 63)
    text[at + 2] = 0x80 | (point & 63)
    return at + 3
  }
  text[at] = 0xf0 | (point >> 18)
  text[at + 1] = 0x80 | ((point >> 12) & 63)
  text[at + 2] = 0x80 | ((point >> 6) & 63)
  text[at + 3] = 0x80 | (point & 63)
  return at + 4
}

/** The four hexadecimal digits at a place; -1 where there are none. */
function unitAt(raw: Buffer, at: number): number {
  let unit = 0
  for (let digit = at; digit < at + 4; digit++) {
    const value = hexValueOf(raw[digit] ?? 0)
    if (value < 0) return -1
    unit = (unit << 4) | value
  }
  return unit
}

function hexValueOf(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
