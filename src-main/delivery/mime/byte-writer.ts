const [carriageReturn, lineFeed, space, tab, equals] = [13, 10, 32, 9, 61]
const letterF = 70
const dot = 46
const hexDigits = Buffer.from('0123456789ABCDEF')

/** Longest line of an encoded body, in bytes (RFC 2045 section 6.7). */
const maxLine = 76
const bytesPerBase64Line = 57

/** 1 for bytes that stand for themselves in quoted-printable, wherever they are in a line. */
const literal = new Uint8Array(256)
for (let byte = 33; byte < 127; byte++) literal[byte] = byte === equals ? 0 : 1

/**
 * Collects the bytes of one message after the other in memory that it reuses. Encoders write to it directly: streams and strings in between
 * took most of the time of a message.
 */
export class ByteWriter {
  #buffer = Buffer.allocUnsafe(64 * 1024)
  #length = 0
  #scratch = Buffer.allocUnsafe(64 * 1024)

  /** Begins a message. What an earlier one left after a fault is dropped: it may belong to another organization. */
  begin(): void {
    this.#length = 0
  }

  /** Returns a copy of what was written since the beginning. */
  bytes(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#length))
  }

  writeBytes(bytes: Buffer): void {
    this.#reserve(bytes.length)
    this.#length += bytes.copy(this.#buffer, this.#length)
  }

  /** @param text UTF-8 where it is not ASCII, as in addresses (RFC 6532) */
  writeText(text: string): void {
    this.#reserve(text.length * 3)
    this.#length += this.#buffer.write(text, this.#length, 'utf8')
  }

  /**
   * Writes a text in quoted-printable. Line breaks of any kind become CRLF. A line never begins with "From " or a dot, so that neither an
   * mbox file nor SMTP has to change it.
   */
  writeQuotedPrintable(text: string): void {
    const input = this.#encode(text)
    const { length } = input
    // At most three bytes each, and a soft line break of three bytes after at least 73.
    this.#reserve(length * 3 + Math.ceil((length * 3) / 73) * 3)
    const output = this.#buffer
    let to = this.#length
    let column = 0
    for (let at = 0; at < length; at++) {
      const byte = input[at] ?? 0
      if (byte === lineFeed || byte === carriageReturn) {
        if (byte === carriageReturn && input[at + 1] === lineFeed) at++
        output[to++] = carriageReturn
        output[to++] = lineFeed
        column = 0
        continue
      }
      const isLiteral =
        (literal[byte] === 1 && !(column === 0 && isRisky(input, at))) || isInnerSpace(input, at)
      const width = isLiteral ? 1 : 3
      // The last byte of a line may take the place of the "=" of a soft line break.
      const room = endsLine(input, at + 1) ? maxLine : maxLine - 1
      if (column + width > room) {
        output[to++] = equals
        output[to++] = carriageReturn
        output[to++] = lineFeed
        column = 0
        at--
        continue
      }
      column += width
      if (isLiteral) {
        output[to++] = byte
      } else {
        output[to++] = equals
        output[to++] = hexDigits[byte >> 4] ?? 0
        output[to++] = hexDigits[byte & 15] ?? 0
      }
    }
    this.#length = to
  }

  /** Writes a text in base64, its line breaks as CRLF. */
  writeBase64(text: string): void {
    this.writeBytes(base64Lines(this.#encode(text.replaceAll(/\r\n?|\n/g, '\r\n'))))
  }

  /** Returns a text in UTF-8, in memory that the next text reuses. */
  #encode(text: string): Buffer {
    if (text.length * 3 > this.#scratch.length) this.#scratch = Buffer.allocUnsafe(text.length * 4)
    return this.#scratch.subarray(0, this.#scratch.write(text, 0, 'utf8'))
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#length + bytes, this.#buffer.length * 2))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}

/** Returns bytes in base64, in lines of 76 characters without a line break at the end. */
export function base64Lines(bytes: Buffer): Buffer {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += bytesPerBase64Line) {
    lines.push(bytes.toString('base64', at, Math.min(at + bytesPerBase64Line, bytes.length)))
  }
  return Buffer.from(lines.join('\r\n'), 'latin1')
}

function endsLine(input: Buffer, at: number): boolean {
  return at >= input.length || input[at] === lineFeed || input[at] === carriageReturn
}

/** True for a space or tab that does not end a line: programs on the way remove those. */
function isInnerSpace(input: Buffer, at: number): boolean {
  return (input[at] === space || input[at] === tab) && !endsLine(input, at + 1)
}

/** True for a byte that must not begin a line. */
function isRisky(input: Buffer, at: number): boolean {
  const byte = input[at]
  return byte === dot || (byte === letterF && input.toString('latin1', at, at + 5) === 'From ')
}
