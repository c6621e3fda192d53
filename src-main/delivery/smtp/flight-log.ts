import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync
} from 'node:fs'
import { uptime } from 'node:os'
import { dirname, join } from 'node:path'
import { messageOf } from '../../base/errors.ts'
import type { SmtpOutcome } from './outcome.ts'

/** Identifies a message in the journal: content, subscriber and number. */
export interface MessageKey {
  sliceId: number
  subscriberId: number
  number: number
}

/** What is known of messages that were in flight when a thread was cut off, by {@link keyOf}. */
export type KnownFlights = Map<string, SmtpOutcome>

export function keyOf({ sliceId, subscriberId, number }: MessageKey): string {
  return `${sliceId}.${subscriberId}.${number}`
}

export function flightLogPath(dataDirectory: string, name: string): string {
  return join(dataDirectory, 'sending', `${name}.log`)
}

/** Times of start that differ by less (milliseconds) are one: clocks are corrected while a computer runs. */
const tolerance = 120_000
const maxBytes = 1024 * 1024

/**
 * Records, faster than a database can, which messages may have reached the server. A line is written before the final dot leaves and another after the
 * reply. What a process has written outlasts its death, but not a loss of power: the log notes when the computer was started, and one of another
 * start proves nothing.
 */
export class FlightLog {
  readonly #path: string
  /** The lines of messages that the database does not know the outcome of, by {@link keyOf}. */
  readonly #lines = new Map<string, string>()
  #file: number
  #isClosed = false
  #bytes = 0
  /** Lines that are not in the file yet: a reply is written with what comes next, or in the next turn of the event loop. */
  #unwritten = ''

  private constructor(path: string) {
    this.#path = path
    this.#file = openWith(path, '')
  }

  static open(path: string): FlightLog {
    mkdirSync(dirname(path), { recursive: true })
    return new FlightLog(path)
  }

  /** @throws Error if it cannot be written: then the message must not leave */
  recordHandover(key: MessageKey): void {
    this.#add(key, `H ${keyOf(key)}\n`)
    this.#write()
  }

  /** Records the server's reply; without it the delivery would be uncertain. */
  recordReply(key: MessageKey, outcome: SmtpOutcome): void {
    if (this.#unwritten === '') setImmediate(() => this.#tryToWrite())
    this.#add(key, `R ${keyOf(key)} ${JSON.stringify(outcome)}\n`)
  }

  /** Forgets messages whose outcome the database knows. */
  forget(keys: readonly MessageKey[]): void {
    for (const key of keys) this.#lines.delete(keyOf(key))
    if (this.#bytes < maxBytes) return
    this.#isClosed = true
    closeSync(this.#file)
    this.#file = openWith(this.#path, [...this.#lines.values()].join(''))
    this.#isClosed = false
    this.#unwritten = ''
    this.#bytes = 0
  }

  close(): void {
    if (this.#isClosed) return
    this.#tryToWrite()
    this.#isClosed = true
    closeSync(this.#file)
    if (this.#lines.size === 0) rmSync(this.#path, { force: true })
  }

  #add(key: MessageKey, line: string): void {
    this.#lines.set(keyOf(key), line)
    this.#unwritten += line
  }

  /** A reply that cannot be written makes its message uncertain if the thread dies before the database knows it, and nothing worse. */
  #tryToWrite(): void {
    try {
      if (!this.#isClosed) this.#write()
    } catch (error) {
      process.stderr.write(`${this.#path} could not be written: ${messageOf(error)}\n`)
    }
  }

  #write(): void {
    if (this.#isClosed) throw new Error(`${this.#path} is closed`)
    if (this.#unwritten === '') return
    this.#bytes += writeSync(this.#file, this.#unwritten)
    this.#unwritten = ''
  }
}

/**
 * Reads the log that an earlier thread left.
 * @returns the messages that may have left; null if nothing is known, so that each may have
 */
export function readFlightLog(path: string): KnownFlights | null {
  if (!existsSync(path)) return null
  const [head, ...lines] = readFileSync(path, 'utf8').split('\n')
  if (!isOfThisStart(head)) return null
  const known: KnownFlights = new Map()
  // The last line has no line break if the thread died while writing it.
  for (const line of lines.slice(0, -1)) {
    const [, kind, key = '', json = ''] = /^([HR]) (\d+\.\d+\.\d+)(?: (.*))?$/.exec(line) ?? []
    const outcome = kind === 'R' ? safeParse(json) : null
    if (kind === 'H') known.set(key, { is: 'uncertain', reply: 'Listwright was ended before the reply' })
    else if (outcome !== null) known.set(key, outcome as SmtpOutcome)
    // Something else has written into the file, so nothing in it can be relied on.
    else return null
  }
  return known
}

function openWith(path: string, lines: string): number {
  const partial = `${path}.part`
  const file = openSync(partial, 'w')
  try {
    writeSync(file, `${JSON.stringify({ boot: bootOfThisComputer() })}\n${lines}`)
    fsyncSync(file)
    renameSync(partial, path)
  } catch (error) {
    closeSync(file)
    throw new Error(`${path} could not be written: ${messageOf(error)}`, { cause: error })
  }
  return file
}

/** Linux names each start; elsewhere it is known by its time, in UNIX milliseconds. */
function bootOfThisComputer(): string | number {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    // Other systems have no such file.
    return Date.now() - uptime() * 1000
  }
}

function isOfThisStart(head: string | undefined): boolean {
  const boot: unknown = head ? (safeParse(head) as { boot?: unknown } | null)?.boot : undefined
  const now = bootOfThisComputer()
  if (typeof boot === 'number' && typeof now === 'number') return Math.abs(boot - now) < tolerance
  return boot === now
}

function safeParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Listwright did not write this.
    return null
  }
}
