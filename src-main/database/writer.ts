import type { Database } from 'better-sqlite3'
import { EventEmitter, once } from 'node:events'
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import { ApiError, type ErrorCode, StorageFault } from '../base/errors.ts'
import { endThread } from '../base/threads.ts'
import type { Refusal } from '../base/refusal.ts'
import { checkRun, NothingRefused } from './check-run.ts'
import type { Change, CommandInput, CommandName, CommandResult } from './command.ts'
import { keepLog } from './connection.ts'
import { type Origin, type RequestBase, requestBase, requestOrigin } from './origin.ts'

export interface WriterOptions {
  databasePath: string
  /** Where a copy is stored before a migration changes existing data. */
  backupDirectory: string
}

export interface CommandRequest {
  id: number
  name: CommandName
  input: unknown
  /** The origin of the calling request. */
  origin?: Origin
  /** An entry of the change log: what the command changes must not have a later one. */
  unchangedSince?: number
  /** True = roll back in any case: only the refusals matter. */
  isCheck?: boolean
}

export type CommandReply = { id: number } & (
  | { result: unknown; lastChange?: number }
  | { checked: true }
  | { refused: { code: ErrorCode; refusals: readonly Refusal[]; data: unknown } }
  | { failed: string }
  | { storage: StorageFault['kind'] }
)

/** Orders to the writer besides commands. */
export type WriterOrder =
  { connect: MessagePort } | { finish: true } | { close: true } | { goOn: true } | { refuse: true }

export type WriterEvent = { ready: true } | { changes: Change[] } | { damaged: true } | { finished: true }

/** An unexpected error of a command; refusals and disk faults are other errors. */
export class CommandFailed extends Error {}

interface Waiting {
  resolve: (value: unknown) => void
  reject: (error: Error) => void
  /** The base of the request that the command is part of. */
  base: RequestBase | undefined
}

/** The sending end of a command queue: one port to the writer thread. */
export class CommandClient {
  readonly #port: Pick<MessagePort, 'postMessage'>
  readonly #waiting = new Map<number, Waiting>()
  #nextId = 1

  constructor(port: Pick<MessagePort, 'postMessage'>) {
    this.#port = port
  }

  /**
   * Runs a command whole or not at all and answers with its result.
   * @throws ApiError what the command refused; StorageFault what can be tried again; Error a fault of ours.
   */
  run<Name extends CommandName>(name: Name, input: CommandInput<Name>): Promise<CommandResult<Name>> {
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      const base = requestBase.getStore()
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject, base })
      const origin = requestOrigin.getStore()
      const isCheck = checkRun.getStore() ?? false
      this.#port.postMessage({
        id,
        name,
        input,
        ...(origin && { origin }),
        ...(base && { unchangedSince: base.lastChange }),
        ...(isCheck && { isCheck })
      } satisfies CommandRequest)
    })
  }

  settle(reply: CommandReply): void {
    const waiting = this.#waiting.get(reply.id)
    if (!waiting) return
    this.#waiting.delete(reply.id)
    if ('result' in reply) {
      // The following commands of the request are based on this one.
      if (waiting.base && reply.lastChange !== undefined) waiting.base.lastChange = reply.lastChange
      waiting.resolve(reply.result)
    } else if ('checked' in reply) waiting.reject(new NothingRefused())
    else if ('refused' in reply) {
      const { code, refusals, data } = reply.refused
      waiting.reject(new ApiError(code, refusals, data))
    } else if ('storage' in reply) waiting.reject(new StorageFault(reply.storage))
    else waiting.reject(new CommandFailed(reply.failed))
  }

  /** Refuses everything that still waits, because nothing will answer any more. */
  abandon(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

export function commandClientOver(port: MessagePort): CommandClient {
  const client = new CommandClient(port)
  port.on('message', (reply: CommandReply) => client.settle(reply))
  return client
}

/** The writer thread as the API's thread sees it. */
export class Writer {
  readonly #thread: Worker
  readonly #client: CommandClient
  readonly #events = new EventEmitter().setMaxListeners(50)
  readonly #exited: Promise<unknown>
  #isOpened = false
  /**
   * A connection that outlives a crashed thread, so that the log stays as noted: if SQLite copied it into the
   * database, that would look like a change by another program. Null before the database is open, and once
   * the thread is about to close it.
   */
  #logKeeper: Database | null = null
  #closing = false
  /** Why no more commands are accepted: the writer was closed, or its thread crashed with this error. */
  #ended: Error | null = null

  /** @param thread that was just started: if it dies while it loads its code, {@link open} tells so */
  constructor(thread: Worker) {
    this.#thread = thread
    this.#client = new CommandClient(thread)
    thread.on('message', (message: CommandReply | WriterEvent) => {
      if ('id' in message) this.#client.settle(message)
      else if ('changes' in message) this.#events.emit('changes', message.changes)
      else if ('damaged' in message) this.#events.emit('damaged')
      else if ('finished' in message) this.#letClose()
      else this.#events.emit('ready')
    })
    thread.on('error', (error) => this.#stopped(error as Error))
    thread.on('exit', () => this.#stopped(new Error('the writer thread has stopped')))
    this.#exited = new Promise((resolve) => thread.once('exit', resolve))
  }

  /**
   * Has the thread open a database and migrate it, and then run commands.
   * @throws Error of which the thread died
   */
  async open(options: WriterOptions): Promise<void> {
    if (this.#ended) throw this.#ended
    this.#isOpened = true
    this.#thread.postMessage(options)
    await once(this.#events, 'ready')
    try {
      this.#logKeeper = keepLog(options.databasePath)
    } catch (error) {
      await this.close()
      throw error
    }
  }

  /** @throws Error as {@link CommandClient.run}, and when the thread has ended */
  run<Name extends CommandName>(name: Name, input: CommandInput<Name>): Promise<CommandResult<Name>> {
    return this.#ended ? Promise.reject(this.#ended) : this.#client.run(name, input)
  }

  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel()
    this.#tell({ connect: port1 }, [port1])
    return port2
  }

  onChanges(listener: (changes: Change[]) => void): void {
    this.#events.on('changes', listener)
  }

  /** Starts to copy the log into the database: not earlier, and not while commands are refused. */
  goOn(): void {
    this.#tell({ goOn: true })
  }

  /** Refuses every command that is not needed for looking, and leaves the database as it is, until {@link goOn}. */
  refuse(): void {
    this.#tell({ refuse: true })
  }

  onDamage(listener: () => void): void {
    this.#events.on('damaged', listener)
  }

  onFailure(listener: (error: Error) => void): void {
    this.#events.on('failure', listener)
  }

  /**
   * Finishes the commands that were sent before, then closes the database.
   * @throws Error of which the thread died meanwhile
   */
  async close(): Promise<void> {
    this.#closing = true
    if (!this.#isOpened) return endThread(this.#thread)
    try {
      if (!this.#ended) {
        const exited = once(this.#thread, 'exit')
        this.#tell({ finish: true })
        await exited
      }
    } finally {
      await this.#exited
      this.#logKeeper?.close()
    }
  }

  /** Lets the thread close its connection, which copies the log and deletes it. */
  #letClose(): void {
    this.#logKeeper?.close()
    this.#logKeeper = null
    this.#tell({ close: true })
  }

  #tell(order: WriterOrder, transferred: MessagePort[] = []): void {
    this.#thread.postMessage(order, transferred)
  }

  #stopped(error: Error): void {
    this.#ended ??= error
    this.#client.abandon(error)
    if (this.#closing) return
    this.#closing = true
    // 'error' before 'ready' rejects start(), which waits with once().
    if (this.#events.listenerCount('failure') > 0) this.#events.emit('failure', error)
    else if (this.#events.listenerCount('ready') > 0) this.#events.emit('error', error)
  }
}
