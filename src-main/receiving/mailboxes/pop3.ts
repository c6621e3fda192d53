import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { messageOf } from '../../base/errors.ts'
import { type MailboxPlan, MailboxUnavailable } from './plan.ts'

// A client of POP3 (RFC 1939, 2449, 2595) as far as reading needs it. The clients on npm find the end of a message only if it arrives in one
// piece, and turn bytes into text.

/** Milliseconds without a word from the server. */
const timeout = 60_000
/** Longest line that is no part of a message, in bytes (RFC 2449 allows 512). */
const longestLine = 8192

const [lineFeed, dot] = [10, 46]
/** More than the lines of any message that is read to its end. */
const allLines = 1_000_000_000

/** A message as far as it was read. */
export interface RetrievedMessage {
  raw: Buffer
  /** False if only the beginning of a very long one was kept. */
  isWhole: boolean
}

/** A session with a POP3 server. Its methods are called one after the other. */
export class Pop3Client {
  #socket: Socket
  #received: Buffer = Buffer.alloc(0)
  #failure: Error | null = null
  #wake: (() => void) | null = null

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#listen()
  }

  /** Connects and signs in. @throws MailboxUnavailable */
  static async open(
    { host, port, security, authentication, username }: MailboxPlan,
    secret: string
  ): Promise<Pop3Client> {
    const socket = security === 'tls' ? connectTls({ host, port, servername: host }) : connect({ host, port })
    const client = new Pop3Client(socket)
    try {
      await client.#answer()
      if (security === 'starttls') await client.#startTls(host)
      if (authentication === 'xoauth2') {
        const token = Buffer.from(`user=${username}\u0001auth=Bearer ${secret}\u0001\u0001`)
        await client.#signIn(`AUTH XOAUTH2 ${token.toString('base64')}`)
      } else {
        await client.#signIn(`USER ${username}`)
        await client.#signIn(`PASS ${secret}`)
      }
      return client
    } catch (error) {
      client.close()
      throw error
    }
  }

  /** Returns the unique id of each message by its number, in order. */
  async uids(): Promise<[number: number, uid: string][]> {
    await this.#command('UIDL')
    const { raw } = await this.#multiline(Number.MAX_SAFE_INTEGER)
    return raw
      .toString('latin1')
      .split('\r\n')
      .flatMap((line) => {
        const [, number, uid] = /^(\d+) ([\x21-\x7e]{1,70})$/.exec(line) ?? []
        return number === undefined || uid === undefined ? [] : [[Number(number), uid] as [number, string]]
      })
  }

  /**
   * Reads a message by TOP, with all its lines: some servers mark what RETR reads as seen. @param most bytes that are kept
   */
  async retrieve(number: number, most: number): Promise<RetrievedMessage> {
    try {
      await this.#command(`TOP ${number} ${allLines}`)
    } catch (error) {
      // TOP is optional (RFC 1939).
      if (this.#failure) throw error
      await this.#command(`RETR ${number}`)
    }
    return this.#multiline(most)
  }

  /** Marks a message; the server deletes it when the session is ended by {@link quit}. */
  async delete(number: number): Promise<void> {
    await this.#command(`DELE ${number}`)
  }

  async quit(): Promise<void> {
    await this.#command('QUIT')
    this.close()
  }

  close(): void {
    this.#socket.destroy()
  }

  async #startTls(servername: string): Promise<void> {
    await this.#command('STLS')
    this.#socket.removeAllListeners()
    // What came before the protection is not trusted.
    this.#received = Buffer.alloc(0)
    const secure: TLSSocket = connectTls({ socket: this.#socket, servername })
    this.#socket = secure
    this.#listen()
    await Promise.race([once(secure, 'secureConnect'), this.#failed()])
  }

  #listen(): void {
    this.#socket.setTimeout(timeout, () => this.#fail(new Error('The server does not answer')))
    this.#socket.on('data', (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
      this.#wake?.()
    })
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => this.#fail(new Error('The server closed the connection')))
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#socket.destroy()
    this.#wake?.()
  }

  async #failed(): Promise<never> {
    while (!this.#failure) await this.#change()
    throw new MailboxUnavailable(messageOf(this.#failure).slice(0, 500), false)
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  async #signIn(command: string): Promise<void> {
    await this.#command(command, true)
  }

  /** @throws MailboxUnavailable with the words of a server that refuses */
  async #command(command: string, isSignIn = false): Promise<void> {
    // A line break would begin another command.
    if (/[\r\n]/.test(command)) throw new MailboxUnavailable('A line break is not possible here', isSignIn)
    this.#socket.write(`${command}\r\n`)
    await this.#answer(isSignIn)
  }

  async #answer(isSignIn = false): Promise<void> {
    const line = (await this.#line()).toString('utf8').trimEnd()
    if (!line.startsWith('+OK')) {
      throw new MailboxUnavailable(line.replace(/^-ERR ?/, '').slice(0, 500) || 'refused', isSignIn)
    }
  }

  /** Returns a line with its line break. */
  async #line(): Promise<Buffer> {
    for (;;) {
      const end = this.#received.indexOf(lineFeed)
      if (end >= 0) {
        const line = this.#received.subarray(0, end + 1)
        this.#received = this.#received.subarray(end + 1)
        return line
      }
      if (this.#failure) await this.#failed()
      if (this.#received.length > longestLine) this.#fail(new Error('This is no POP3 server'))
      else await this.#change()
    }
  }

  /** Reads lines until the one that is a dot; dots that were doubled are single again. */
  async #multiline(most: number): Promise<RetrievedMessage> {
    const lines: Buffer[] = []
    let length = 0
    for (;;) {
      const line = await this.#messageLine()
      const isEnd = line[0] === dot && (line.length === 3 || line.length === 2)
      if (isEnd) return { raw: Buffer.concat(lines), isWhole: length <= most }
      const text = line[0] === dot ? line.subarray(1) : line
      length += text.length
      if (length <= most) lines.push(text)
    }
  }

  /** A line of a message may have any length. */
  async #messageLine(): Promise<Buffer> {
    let searched = 0
    for (;;) {
      const end = this.#received.indexOf(lineFeed, searched)
      if (end >= 0) {
        const line = this.#received.subarray(0, end + 1)
        this.#received = this.#received.subarray(end + 1)
        return line
      }
      searched = this.#received.length
      if (this.#failure) await this.#failed()
      await this.#change()
    }
  }
}
