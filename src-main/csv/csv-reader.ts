import { refusal, type Refusal } from '../base/refusal.ts'
import { ImportFailure } from './failure.ts'

export interface CsvFormat {
  separator: string
  enclosure: string
}

/**
 * Receives a record.
 * @param line its first line, from 1
 * @param fault why its fields cannot be trusted, if so
 */
export type RecordListener = (fields: string[], line: number, fault: Refusal | null) => void

/** Longest record, in characters. Anything longer is a quote that was never closed, or no CSV file. */
export const maxRecordLength = 1024 * 1024

/**
 * Splits text into records by RFC 4180: fields may be enclosed, an enclosed field may hold separators, line breaks and
 * doubled enclosures. Lines end with CRLF, LF or CR, as the first one does; empty lines are no records. An enclosure
 * inside an unenclosed field is a character like any other.
 *
 * Lines without any enclosure, nearly all of a real file, take a path of their own: indexOf and split.
 */
export class CsvReader {
  readonly #separator: string
  readonly #enclosure: string
  readonly #listener: RecordListener
  readonly #splits: boolean
  #lineBreak: string | null = null
  #rest = ''
  #line = 1

  /** @param splits false to find the records only: the listener then gets no fields. */
  constructor(format: CsvFormat, listener: RecordListener, splits = true) {
    this.#separator = format.separator
    this.#enclosure = format.enclosure
    this.#listener = listener
    this.#splits = splits
  }

  /**
   * Reads the next piece of the text.
   * @throws ImportFailure when a record grows beyond {@link maxRecordLength}
   */
  push(text: string): void {
    this.#read(this.#rest + text, false)
    if (this.#rest.length > maxRecordLength) throw this.#tooLong()
  }

  /**
   * Ends the text.
   * @throws ImportFailure when a quote was opened and never closed
   */
  end(): void {
    this.#read(this.#rest, true)
  }

  #read(text: string, final: boolean): void {
    this.#lineBreak ??= findLineBreak(text, this.#enclosure, final)
    if (this.#lineBreak === null) {
      this.#rest = text
      return
    }
    const lineBreak = this.#lineBreak
    const breaks = new Finder(text, lineBreak)
    const quotes = new Finder(text, this.#enclosure)
    const separators = new Finder(text, this.#separator)
    let position = 0
    while (position < text.length) {
      const end = breaks.from(position)
      if (end === Infinity && !final) break
      if (quotes.from(position) > end) {
        this.#plainLine(text.slice(position, Math.min(end, text.length)))
        position = end + 1
      } else {
        const next = this.#enclosedRecord(text, position, final, breaks, quotes, separators)
        if (next === null) break
        position = next
      }
    }
    this.#rest = position < text.length ? text.slice(position) : ''
  }

  #plainLine(line: string): void {
    const content = line.endsWith('\r') ? line.slice(0, -1) : line
    const number = this.#line++
    if (content === '') return
    this.#listener(this.#splits ? content.split(this.#separator) : [], number, null)
  }

  /** Reads a record that holds an enclosure. @returns where the next one begins, or null when the text ends before. */
  #enclosedRecord(
    text: string,
    start: number,
    final: boolean,
    breaks: Finder,
    quotes: Finder,
    separators: Finder
  ): number | null {
    const fields: string[] = []
    let fault: Refusal | null = null
    let position = start
    for (;;) {
      if (text[position] === this.#enclosure) {
        const field = this.#enclosedField(text, position + 1, final, quotes)
        if (!field) return null
        fields.push(field.value)
        position = field.end
      } else {
        const end = Math.min(separators.from(position), breaks.from(position))
        if (end === Infinity && !final) return null
        fields.push(text.slice(position, Math.min(end, text.length)))
        position = Math.min(end, text.length)
      }
      if (text[position] === this.#separator) {
        position++
        continue
      }
      const end = breaks.from(position)
      if (end === Infinity && !final) return null
      const recordEnd = Math.min(end, text.length)
      const between = text.slice(position, recordEnd)
      if (between !== '' && between !== '\r') {
        fault = refusal('text_after_enclosure', { enclosure: this.#enclosure, same: this.#enclosure })
        fields.push(between)
      } else trimLastField(fields, text, position)
      const line = this.#line
      this.#line += countLines(text, start, recordEnd, this.#lineBreak ?? '\n') + 1
      this.#listener(this.#splits ? fields : [], line, fault)
      return recordEnd + 1
    }
  }

  #enclosedField(
    text: string,
    start: number,
    final: boolean,
    quotes: Finder
  ): { value: string; end: number } | null {
    let value = ''
    let from = start
    for (;;) {
      const close = quotes.from(from)
      if (close === Infinity) {
        if (!final) return null
        throw new ImportFailure(refusal('enclosure_not_closed', { enclosure: this.#enclosure }), this.#line)
      }
      if (close + 1 >= text.length && !final) return null
      if (text[close + 1] !== this.#enclosure)
        return { value: value + text.slice(from, close), end: close + 1 }
      value += text.slice(from, close + 1)
      from = close + 2
    }
  }

  #tooLong(): ImportFailure {
    const most = maxRecordLength.toLocaleString('en')
    return new ImportFailure(
      this.#rest.includes(this.#enclosure)
        ? refusal('record_too_long_enclosed', { most, enclosure: this.#enclosure })
        : refusal('record_too_long', { most }),
      this.#line
    )
  }
}

/** The CR of a CRLF belongs to the line break, not to an unenclosed last field. */
function trimLastField(fields: string[], text: string, position: number): void {
  const last = fields.at(-1)
  if (last?.endsWith('\r') && text[position - 1] === '\r') fields[fields.length - 1] = last.slice(0, -1)
}

function countLines(text: string, from: number, to: number, lineBreak: string): number {
  let lines = 0
  for (let at = text.indexOf(lineBreak, from); at !== -1 && at < to; at = text.indexOf(lineBreak, at + 1))
    lines++
  return lines
}

/** Returns the line break of the first line outside of enclosed fields; null if it is not known yet. */
function findLineBreak(text: string, enclosure: string, final: boolean): string | null {
  let enclosed = false
  for (let position = 0; position < text.length; position++) {
    const character = text[position]
    if (character === enclosure) enclosed = !enclosed
    if (enclosed) continue
    if (character === '\n') return '\n'
    if (character === '\r') {
      if (position + 1 < text.length) return text[position + 1] === '\n' ? '\n' : '\r'
      return final ? '\r' : null
    }
    if (position > maxRecordLength) return '\n'
  }
  return final ? '\n' : null
}

/** Finds a character from a growing position on, and never looks at a piece of the text twice. */
class Finder {
  readonly #text: string
  readonly #character: string
  #found = -1

  constructor(text: string, character: string) {
    this.#text = text
    this.#character = character
  }

  from(position: number): number {
    if (this.#found < position) {
      const found = this.#text.indexOf(this.#character, position)
      this.#found = found === -1 ? Infinity : found
    }
    return this.#found
  }
}
