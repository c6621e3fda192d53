import { messageOf } from '../../base/errors.ts'
import type { ComposedMessage } from '../message.ts'
import { type DkimSigner, signMessage } from '../mime/dkim.ts'
import type { RouteServer } from '../plan.ts'
import type { FlightLog, MessageKey } from './flight-log.ts'
import type { ServerFault, SmtpOutcome } from './outcome.ts'
import { SmtpSession, SmtpUnavailable } from './smtp-session.ts'

/** A message that is in flight: the journal has it. */
export interface Flight {
  key: MessageKey
  to: string
  compose: () => ComposedMessage
}

export interface CompletedFlight {
  flight: Flight
  outcome: SmtpOutcome
}

/** What a server is signed in to, and messages are signed with. */
export interface SenderKeys {
  /** null = the server asks for none. */
  secret: string | null
  /** null = messages are handed over unsigned. */
  signer: DkimSigner | null
}

/** After so many lost connections a message is tried again later. */
const maxLostConnections = 2
/** After so many messages in a row that lost all connections, the fault is the server's. */
const maxLostInARow = 3
/**
 * After so many refusals a connection is replaced. Postfix answers a client later and later after ten errors, and a refused recipient counts
 * twice: the DATA that was sent along has none.
 */
const maxRefusals = 4
/** How long a connection without a message stays open, in milliseconds. */
const idleTime = 5000

/** Hands messages to one server, over several connections. */
export class Sender {
  readonly server: RouteServer
  readonly #keys: SenderKeys
  readonly #log: FlightLog
  readonly #queue: Flight[] = []
  readonly #completed: CompletedFlight[] = []
  readonly #sessions = new Set<SmtpSession>()
  readonly #workers = new Set<Promise<void>>()
  readonly #onProgress: () => void
  /** What ends the wait of connections without a message. */
  readonly #idle = new Set<() => void>()
  #fault: ServerFault | null = null
  #error: Error | null = null
  #isStopped = false
  readonly #stopping = new AbortController()
  /** Messages in a row for which the server ended all connections. */
  #lostInARow = 0
  #inFlight = 0
  /** Fewer than agreed, if the server refused some. */
  #mostConnections: number

  constructor(server: RouteServer, keys: SenderKeys, log: FlightLog, onProgress: () => void) {
    this.server = server
    this.#mostConnections = server.connections
    this.#keys = keys
    this.#log = log
    this.#onProgress = onProgress
  }

  /** Messages whose outcome is not known yet. */
  get pending(): number {
    return this.#queue.length + this.#inFlight
  }

  /** Why the server takes no messages any more; null = it does. */
  get fault(): ServerFault | null {
    return this.#fault
  }

  /** @throws what a message could not be composed for */
  throwIfBroken(): void {
    if (this.#error) throw this.#error
  }

  /** Messages that have an outcome which was not taken yet. */
  get completed(): number {
    return this.#completed.length
  }

  add(flights: readonly Flight[]): void {
    this.#queue.push(...flights)
    // A fault may have come while the messages were being claimed.
    if (this.#fault || this.#isStopped) return this.#giveUpQueue(this.#fault)
    for (const wake of this.#idle) wake()
    const missing = Math.min(this.#mostConnections, this.pending) - this.#workers.size
    for (let started = 0; started < missing; started++) {
      const worker = this.#work().finally(() => this.#workers.delete(worker))
      this.#workers.add(worker)
    }
  }

  takeCompleted(): CompletedFlight[] {
    return this.#completed.splice(0)
  }

  /** Begins no message any more, gives up those that the server cannot have, and waits for its replies to the others. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopping.abort()
    for (const wake of this.#idle) wake()
    for (const session of this.#sessions) if (!session.isHandedOver) session.abort()
    this.#giveUpQueue(null)
    await Promise.all(this.#workers)
  }

  async #work(): Promise<void> {
    let session: SmtpSession | null = null
    let refusals = 0
    for (let flight = await this.#next(); flight; flight = await this.#next()) {
      const handed = await this.#handOver(session, flight)
      if (handed.session !== session) refusals = 0
      session = handed.session
      if (handed.outcome === null) {
        this.#inFlight--
        this.#queue.unshift(flight)
        break
      }
      this.#inFlight--
      this.#complete(flight, handed.outcome)
      if (handed.outcome.is === 'refused' || handed.outcome.is === 'deferred') refusals++
      const isUsedUp = session?.sent === this.server.messagesPerConnection || refusals === maxRefusals
      if (session && isUsedUp) session = this.#end(session)
    }
    if (session) this.#end(session)
  }

  /**
   * Hands a message over, if need be on a new connection.
   * @returns the connection for the next message, and the outcome; null if the server wants fewer connections
   */
  async #handOver(
    session: SmtpSession | null,
    flight: Flight
  ): Promise<{ session: SmtpSession | null; outcome: SmtpOutcome | null }> {
    let open = session
    try {
      for (let lost = 0; ; lost++) {
        open = await this.#open(open)
        const outcome = await this.#sendMessage(open, flight)
        if (outcome.is === 'accepted') this.#lostInARow = 0
        // What the server says next may belong to the message that it has not answered.
        if (outcome.is === 'uncertain') open.abort()
        if (outcome.is !== 'unsent') return { session: open.isOpen ? open : this.#end(open), outcome }
        if (this.#isStopped) return { session: null, outcome }
        // A server may end a connection between two messages. If it ends several on the same message, others go first.
        if (outcome.fault?.kind !== 'unreachable') return this.#fail(open, outcome)
        if (lost === maxLostConnections) {
          if (++this.#lostInARow >= maxLostInARow) return this.#fail(open, outcome)
          return {
            session: this.#end(open),
            outcome: { is: 'deferred', code: null, reply: outcome.fault.words }
          }
        }
        open = this.#end(open)
      }
    } catch (error) {
      if (error instanceof SmtpUnavailable) {
        const { fault } = error
        const isOneTooMany =
          this.#sessions.size > 0 && (fault.kind === 'busy' || fault.kind === 'unreachable')
        if (!isOneTooMany || this.#isStopped) return this.#fail(null, { is: 'unsent', fault })
        this.#mostConnections = this.#sessions.size
        return { session: null, outcome: null }
      }
      this.#error ??= error instanceof Error ? error : new Error(messageOf(error))
      this.#isStopped = true
      return { session: open, outcome: { is: 'unsent', fault: null } }
    }
  }

  #fail(session: SmtpSession | null, outcome: SmtpOutcome & { is: 'unsent' }) {
    this.#fault ??= outcome.fault
    this.#giveUpQueue(outcome.fault)
    for (const wake of this.#idle) wake()
    return { session, outcome }
  }

  /** Returns the next message, for which a connection waits a while: opening another one takes longer. */
  async #next(): Promise<Flight | undefined> {
    if (this.#queue.length === 0 && !this.#isStopped && !this.#fault) await this.#moreOrIdle()
    const next = this.#isStopped || this.#fault ? undefined : this.#queue.shift()
    if (next) this.#inFlight++
    return next
  }

  #moreOrIdle(): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        this.#idle.delete(end)
        resolve()
      }
      const timer = setTimeout(end, idleTime)
      this.#idle.add(end)
    })
  }

  async #open(session: SmtpSession | null): Promise<SmtpSession> {
    if (session?.isOpen) return session
    if (session) this.#end(session)
    const opened = await SmtpSession.open(this.server, this.#keys.secret, { signal: this.#stopping.signal })
    this.#sessions.add(opened)
    if (this.#isStopped) opened.abort()
    return opened
  }

  async #sendMessage(session: SmtpSession, { key, to, compose }: Flight): Promise<SmtpOutcome> {
    const { envelope, content: unsigned } = compose()
    const { signer } = this.#keys
    const content = signer ? await signMessage(unsigned, signer, Date.now()) : unsigned
    let isHandedOver = false
    const outcome = await session.send({ from: envelope.from, to }, content, () => {
      isHandedOver = true
      this.#log.recordHandover(key)
    })
    if (isHandedOver) this.#log.recordReply(key, outcome)
    return outcome
  }

  #complete(flight: Flight, outcome: SmtpOutcome): void {
    this.#completed.push({ flight, outcome })
    this.#onProgress()
  }

  #giveUpQueue(fault: ServerFault | null): void {
    for (const flight of this.#queue.splice(0)) this.#complete(flight, { is: 'unsent', fault })
  }

  #end(session: SmtpSession): null {
    this.#sessions.delete(session)
    session.quit()
    return null
  }
}
