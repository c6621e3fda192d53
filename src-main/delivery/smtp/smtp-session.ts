import type { Duplex } from 'node:stream'
import { messageOf } from '../../base/errors.ts'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SmtpAuthentication, SmtpSecurity } from '../../api/smtp-servers/schema.ts'
import {
  faultOfError,
  outcomeOfError,
  type ServerFault,
  type SmtpError,
  type SmtpOutcome
} from './outcome.ts'

/** A server as a connection needs it. */
export interface SmtpServerPlan {
  id: number
  name: string
  host: string
  port: number
  security: SmtpSecurity
  authentication: SmtpAuthentication
  username: string
}

/** A line of a conversation with a server, without passwords. */
export interface SmtpLine {
  from: 'client' | 'server'
  text: string
}

/** In milliseconds. */
const timeouts = { connectionTimeout: 30_000, greetingTimeout: 30_000, dnsTimeout: 15_000 }
/** How long a server may take for a reply, in milliseconds: RFC 5321 section 4.5.3.2 asks for ten minutes after the final dot. */
const replyTimeout = 10 * 60_000
/** How long a server may take until messages can be handed over, in milliseconds. */
const timeToOpen = 60_000
/** How long a server may take to answer QUIT, in milliseconds. */
const timeToQuit = 2000
/** The longest reply, and the longest line of a conversation that is shown, in bytes. */
const [maxResponseSize, longestLine] = [64 * 1024, 4000]
/** A message is written in parts of so many bytes, so that the final dot is not handed over before most of it has left. */
const writtenAtOnce = 64 * 1024

interface OpenOptions {
  /** Receives each line of the conversation. */
  log?: (line: SmtpLine) => void
  signal?: AbortSignal
  /** The longest wait for a reply, in milliseconds. */
  patience?: number
}

/** nodemailer replaces the method XOAUTH2 unless it makes the tokens itself, so ours has another name. */
const tokenMethod = 'XOAUTH2-TOKEN'

/** Thrown where no session could be opened. */
export class SmtpUnavailable extends Error {
  readonly fault: ServerFault

  constructor(fault: ServerFault) {
    super(fault.words)
    this.fault = fault
  }
}

/**
 * One connection to a server, on which messages are handed over one after the other. nodemailer speaks the protocol; this class knows whether the
 * final dot may have left.
 */
export class SmtpSession {
  readonly #connection: SMTPConnection
  #finish: ((outcome: SmtpOutcome) => void) | null = null
  #isHandedOver = false
  #isOpen = true
  /** True while parts of a message are being written. */
  #isWriting = false
  #sent = 0

  private constructor(connection: SMTPConnection) {
    this.#connection = connection
    connection.on('error', (error: SmtpError) => this.#end(error))
    // nodemailer reports the end of a connection before the reply that ended it.
    connection.on('end', () => {
      this.#isOpen = false
      setImmediate(() => this.#fail(connectionLost()))
    })
  }

  /**
   * Connects and signs in.
   * @throws SmtpUnavailable
   */
  static async open(
    server: SmtpServerPlan,
    secret: string | null,
    { log, signal, patience = replyTimeout }: OpenOptions = {}
  ): Promise<SmtpSession> {
    const mask = maskOf(server.username, secret)
    const connection = new SMTPConnection({
      ...timeouts,
      socketTimeout: patience,
      host: server.host,
      port: server.port,
      secure: server.security === 'tls',
      requireTLS: server.security === 'starttls',
      ignoreTLS: server.security === 'none',
      maxResponseSize,
      ...(log && {
        logger: loggerOver(({ from, text }) => log({ from, text: mask(text).slice(0, longestLine) })),
        transactionLog: true
      }),
      customAuth: { [tokenMethod]: (context) => signInByToken(context, secret ?? '') }
    })
    try {
      await withinTime(connection, signal, async () => {
        await connect(connection)
        if (server.authentication !== 'none') await signIn(connection, server, secret ?? '')
      })
    } catch (error) {
      connection.close()
      const { kind, words } = faultOfError(error as SmtpError)
      throw new SmtpUnavailable({ kind, words: mask(words) })
    }
    return new SmtpSession(connection)
  }

  /** False once the server or a fault has closed the connection. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** How many messages it was given. */
  get sent(): number {
    return this.#sent
  }

  /** True while a message is under way whose fate only the server's reply can tell. */
  get isHandedOver(): boolean {
    return this.#finish !== null && this.#isHandedOver
  }

  /**
   * Hands a message over.
   * @param content RFC 5322, with CRLF
   * @param onHandOver called before the final dot may leave: from then on the server may have the message
   * @throws what `onHandOver` throws: the message has not left then, and the session is closed
   */
  async send(
    envelope: { from: string; to: string },
    content: Buffer,
    onHandOver: () => void
  ): Promise<SmtpOutcome> {
    const outcome = await this.#attempt(envelope, content, onHandOver)
    const isRefusal = outcome.is === 'deferred' || outcome.is === 'refused'
    if (!isRefusal || this.#isHandedOver || !this.#isOpen) return outcome
    // A refusal before the data leaves the transaction open, and the next MAIL FROM would be out of order. One within the data leaves a part of a
    // message on the connection.
    if (this.#isWriting) this.abort()
    else await this.#reset()
    return outcome
  }

  #reset(): Promise<void> {
    return new Promise((resolve) => {
      this.#finish = () => {
        this.#finish = null
        resolve()
      }
      this.#connection.reset((error) => {
        if (error) this.abort()
        this.#finish?.({ is: 'unsent', fault: null })
      })
    })
  }

  #attempt(
    envelope: { from: string; to: string },
    content: Buffer,
    onHandOver: () => void
  ): Promise<SmtpOutcome> {
    return new Promise((resolve, reject) => {
      this.#isHandedOver = false
      this.#isWriting = false
      this.#sent++
      let isOver = false
      this.#finish = (outcome) => {
        isOver = true
        this.#finish = null
        resolve(outcome)
      }
      /** @returns false if the end of the message must not be written */
      const handOver = (): boolean => {
        if (isOver) return false
        try {
          onHandOver()
        } catch (error) {
          this.#finish = null
          this.abort()
          reject(error instanceof Error ? error : new Error(messageOf(error)))
          return false
        }
        this.#isHandedOver = true
        return true
      }
      // nodemailer asks only for pipe(), and needs no stream.
      const message = { pipe: (stream: Duplex) => this.#write(stream, content, handOver) }
      this.#connection.send(
        { ...envelope, size: content.length },
        message as unknown as NodeJS.ReadableStream & import('node:stream').Readable,
        (error, info) => {
          if (error) this.#fail(error)
          else this.#finish?.({ is: 'accepted', reply: info.response.replaceAll(/\s+/g, ' ').slice(0, 500) })
        }
      )
    })
  }

  /** Ends the session in order. */
  quit(): void {
    if (this.#isOpen) this.#connection.quit()
    this.#isOpen = false
    // A server may never answer.
    setTimeout(() => this.#connection.close(), timeToQuit).unref()
  }

  /** Closes the connection; a message under way that was not handed over is not delivered. */
  abort(): void {
    this.#end(connectionLost())
    this.#connection.close()
  }

  /** Writes a message in parts; `handOver` is called before the last part and the final dot, with which nodemailer ends it. */
  #write(stream: Duplex, content: Buffer, handOver: () => boolean): void {
    this.#isWriting = true
    const writeFrom = (start: number): void => {
      const end = start + writtenAtOnce
      if (end >= content.length) {
        if (!handOver()) return
        this.#isWriting = false
        this.#inOneSegment(stream)
        stream.end(content.subarray(start))
      } else if (stream.write(content.subarray(start, end))) writeFrom(end)
      else stream.once('drain', () => writeFrom(end))
    }
    writeFrom(0)
  }

  /** Has the final dot leave together with what is before it: a segment of its own takes a third of a message's time. */
  #inOneSegment(stream: Duplex): void {
    const socket = this.#connection._socket
    if (!socket) return
    socket.cork()
    let isCorked = true
    const uncork = (): void => {
      if (isCorked) socket.uncork()
      isCorked = false
    }
    stream.once('end', uncork)
    // A corked socket never drains: a pipe that pauses for a full socket would wait forever.
    stream.once('pause', uncork)
    if (socket.writableNeedDrain) uncork()
  }

  #fail(error: SmtpError): void {
    this.#finish?.(outcomeOfError(error, this.#isHandedOver))
  }

  #end(error: SmtpError): void {
    this.#isOpen = false
    this.#fail(error)
  }
}

function connectionLost(): SmtpError {
  return Object.assign(new Error('The connection was closed'), { code: 'ECONNECTION', command: 'CONN' })
}

/** Rejects if a connection is not ready in time, or the signal aborts. */
function withinTime(
  connection: SMTPConnection,
  signal: AbortSignal | undefined,
  work: () => Promise<void>
): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      connection.close()
      reject(Object.assign(new Error('The server does not answer'), { code: 'ETIMEDOUT', command: 'CONN' }))
    }
    const timer = setTimeout(giveUp, timeToOpen)
    signal?.addEventListener('abort', giveUp)
    void work()
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', giveUp)
      })
    if (signal?.aborted) giveUp()
  })
}

/** Returns a function that leaves a password out of a text: a server may repeat what it was sent. */
function maskOf(username: string, secret: string | null): (text: string) => string {
  if (!secret) return (text) => text
  const encoded = [
    secret,
    `\0${username}\0${secret}`,
    `user=${username}\u0001auth=Bearer ${secret}\u0001\u0001`
  ]
  const hidden = [secret, ...encoded.map((text) => Buffer.from(text).toString('base64'))]
  return (text) => hidden.reduce((masked, each) => masked.replaceAll(each, '***'), text)
}

function connect(connection: SMTPConnection): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.once('error', reject)
    connection.connect((error?: Error) => {
      if (error) return reject(error)
      connection.off('error', reject)
      resolve()
    })
  })
}

function signIn(connection: SMTPConnection, server: SmtpServerPlan, secret: string): Promise<void> {
  const auth =
    server.authentication === 'xoauth2'
      ? { method: tokenMethod, user: server.username, pass: secret }
      : { user: server.username, pass: secret }
  return new Promise((resolve, reject) => {
    connection.once('error', reject)
    connection.login(auth, (error) => {
      connection.off('error', reject)
      if (error) reject(error)
      else resolve()
    })
  })
}

type SignInContext = Parameters<
  NonNullable<NonNullable<ConstructorParameters<typeof SMTPConnection>[0]>['customAuth']>[string]
>[0]

/** Signs in with an access token. A server that refuses one first sends a challenge, which an empty line answers. */
async function signInByToken(context: SignInContext, token: string): Promise<void> {
  const initial = `user=${context.auth.credentials.user}\u0001auth=Bearer ${token}\u0001\u0001`
  let reply = await context.sendCommand(`AUTH XOAUTH2 ${Buffer.from(initial).toString('base64')}`)
  if (reply.status === 334) reply = await context.sendCommand('')
  if (reply.status === 235) context.resolve()
  else context.reject(new Error(reply.text))
}

function loggerOver(log: (line: SmtpLine) => void) {
  const write = (entry: unknown, text: unknown, ...rest: unknown[]): void => {
    const tnx = (entry as { tnx?: unknown } | undefined)?.tnx
    if ((tnx !== 'client' && tnx !== 'server') || typeof text !== 'string') return
    log({ from: tnx, text: rest.length > 0 ? text.replace('%s', String(rest[0])) : text })
  }
  return {
    trace: write,
    debug: write,
    info: write,
    warn: write,
    error: write,
    fatal: write,
    level: () => undefined
  }
}
