import type { Database } from 'better-sqlite3'
import type { Kysely } from 'kysely'
import type { MessagePort } from 'node:worker_threads'
import { setTimeout as pause } from 'node:timers/promises'
import {
  ApiError,
  isUnsynced,
  messageOf,
  type StorageFault,
  storageFaultOf,
  Unsynced
} from '../base/errors.ts'
import { appendToChangeLog, requireUnchanged } from './change-log.ts'
import { Checkpointer } from './checkpointer.ts'
import {
  type Change,
  type CommandContext,
  commandNamed,
  type CommandRegistry,
  Unfinished
} from './command.ts'
import {
  closeWithoutCopying,
  type Durability,
  kyselyOver,
  openForWriting,
  setDurability
} from './connection.ts'
import { FileIdentities } from './file-identity.ts'
import { LastChangeNotes } from './last-change.ts'
import { migrate } from './migrate.ts'
import { type Memory, rememberReads } from './remembered.ts'
import { type LogPosition, saltsOfLog } from './write-ahead-log.ts'
import type { Schema } from './schema.ts'
import type { CommandReply, CommandRequest, WriterEvent, WriterOptions, WriterOrder } from './writer.ts'

interface Queued {
  port: MessagePort
  request: CommandRequest
  /** True for a command that runs again in a transaction of its own. */
  isRepeated?: boolean
}

interface Done {
  reply: CommandReply
  changes: Change[]
  /** Callbacks from {@link CommandContext.onRollback}. */
  undos: (() => void)[]
  /** The fault that prevented the write, if there was one. */
  error?: StorageFault
  /** The last entry of the change log that it wrote; null for none. */
  lastChange: number | null
}

/** A command with a waiting caller, before it is answered. */
interface Finished {
  queued: Queued
  done: Done
}

/** Longest wait for another program's lock and the interval of its tries, in milliseconds. */
const maxWaitForLock = 5000
const lockInterval = 25
/** Longest transaction that commands of long jobs share, in milliseconds. */
const maxGroupTime = 250
/** The same while users write: the next command waits for the current step, its commit and the sync. */
const maxGroupTimeMeanwhile = 3
/** Milliseconds after which a transaction takes no further command with a waiting caller: each of them waits for all. */
const maxGroupTimeOfCallers = 20
/** Milliseconds after a user's change in which another one is expected. */
const expectedWithin = 500

interface Group {
  answered: { port: MessagePort; reply: CommandReply }[]
  changes: Change[]
  undos: (() => void)[]
  /** Why the group is rolled back. */
  failure: Error | null
  /** The rest of a command that paused. */
  rest: Queued | null
}

/**
 * Owns the only writing connection. Commands arrive on several ports and run one at a time, inside transactions that this
 * alone begins and ends.
 */
export class CommandLoop {
  readonly #commands: CommandRegistry
  readonly #home: MessagePort
  readonly #sqlite: Database
  readonly #db: Kysely<Schema>
  readonly #memory: Memory
  readonly #checkpointer: Checkpointer
  readonly #lastChange: LastChangeNotes
  readonly #databasePath: string
  readonly #identities: FileIdentities
  #changeLogId: number
  /** The end of the log after the last commit; null = unknown. */
  #end: LogPosition | null = null
  readonly #totalChanges
  readonly #waitedFor: Queued[] = []
  readonly #background: Queued[] = []
  #running = false
  #closing = false
  #isFinished = false
  #refusing = false
  /** True if a commit was not stored, so that memory and disk may differ. */
  #isUnsynced = false
  #wake: () => void = () => undefined
  #durability: Durability = 'FULL'
  #lastWaitedFor = -Infinity
  #groupBegan = 0
  /** No two commands have the same time, so that their changes can be told apart. */
  #lastNow = 0

  constructor(
    commands: CommandRegistry,
    { databasePath, backupDirectory }: WriterOptions,
    home: MessagePort
  ) {
    this.#commands = commands
    this.#home = home
    this.#sqlite = openForWriting(databasePath)
    try {
      migrate(this.#sqlite, backupDirectory)
    } catch (error) {
      closeWithoutCopying(this.#sqlite)
      throw error
    }
    // This thread waits for a lock of another program itself, so that it can still receive messages.
    this.#sqlite.pragma('busy_timeout = 0')
    this.#db = kyselyOver(this.#sqlite)
    this.#memory = rememberReads(this.#db, this.#sqlite)
    this.#checkpointer = new Checkpointer(this.#sqlite, databasePath, {
      onCopied: () => this.#wake(),
      onDamage: () => this.#metDamage()
    })
    this.#lastChange = new LastChangeNotes(databasePath)
    this.#databasePath = databasePath
    this.#identities = new FileIdentities(databasePath)
    this.#identities.require()
    this.#changeLogId =
      this.#sqlite.prepare<[], number | null>('SELECT max(id) FROM change_log').pluck().get() ?? 0
    this.#totalChanges = this.#sqlite.prepare('SELECT total_changes()').pluck()
    this.listenOn(home)
    home.postMessage({ ready: true } satisfies WriterEvent)
  }

  listenOn(port: MessagePort): void {
    port.on('message', (message: CommandRequest | WriterOrder) => {
      if ('connect' in message) return this.listenOn(message.connect)
      if ('finish' in message) return void this.#finish()
      if ('close' in message) return this.#close()
      if ('goOn' in message) return this.#goOn()
      if ('refuse' in message) return this.#refuse()
      // The application is closing, so the rest is left to the next start.
      if (this.#isFinished) return
      const { background } = commandNamed(this.#commands, message.name)
      const queue = background ? this.#background : this.#waitedFor
      queue.push({ port, request: message })
      if (this.#running) this.#wake()
      else void this.#drain()
    })
  }

  async #drain(): Promise<void> {
    this.#running = true
    while (this.#waitedFor.length > 0 || this.#background.length > 0) {
      const next = this.#waitedFor.shift()
      if (next) await this.#runWaitedFor(next)
      else if (this.#checkpointer.isBehind) await this.#somethingHappens()
      else await this.#runGroup()
      if (this.#isUnsynced) throw new Unsynced()
      this.#checkpointer.afterCommit()
      await messagesIn()
    }
    this.#running = false
  }

  #somethingHappens(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve))
  }

  /**
   * Runs a command with a waiting caller, and those that arrived meanwhile, in one transaction: the sync of a commit takes longer than most
   * commands. Each has a savepoint of its own, so that a refusal takes back nothing else, and is answered once the commit is durable.
   */
  async #runWaitedFor(first: Queued): Promise<void> {
    if (this.#refusing && !commandNamed(this.#commands, first.request.name).runsOnDamage)
      return this.#answer(first.port, damaged(first.request.id))
    this.#use('FULL')
    const refusal = await this.#begin(maxWaitForLock)
    if (refusal) return this.#answer(first.port, fault(first.request.id, 'begin', refusal))
    if (first.request.isCheck) return this.#check(first)
    const changedRows = this.#totalChanges.get()
    const group: Finished[] = []
    this.#groupBegan = performance.now()
    for (let next: Queued | undefined = first; next; next = this.#nextOfGroup(group)) {
      group.push({ queued: next, done: await this.#runInSavepoint(next.request, group) })
    }
    const { written, answered } = this.#commitGroup(group)
    if (written.length > 0) {
      // A command without changes has waited for no disk: earlier commits may not be durable yet, so no
      // position is noted.
      const lastChange = written.findLast(({ done }) => done.lastChange !== null)?.done.lastChange ?? null
      if (this.#totalChanges.get() !== changedRows) this.#noteLastChange(lastChange)
      this.#publish(written.flatMap(({ done }) => done.changes))
    }
    for (const { queued, done } of answered) await this.#answer(queued.port, done.reply)
    this.#lastWaitedFor = performance.now()
  }

  /** Takes the next command of a group; none after a fault, or once the group has taken long enough. */
  #nextOfGroup(group: readonly Finished[]): Queued | undefined {
    const [next] = this.#waitedFor
    const isOver = performance.now() - this.#groupBegan >= maxGroupTimeOfCallers
    if (!next || next.request.isCheck || this.#refusing || isOver) return undefined
    if (!this.#sqlite.inTransaction || group.some(({ done, queued }) => done.error ?? queued.isRepeated)) {
      return undefined
    }
    return this.#waitedFor.shift()
  }

  async #runInSavepoint(request: CommandRequest, group: readonly Finished[]): Promise<Done> {
    // A command that is alone so far can be taken back with its transaction.
    const isShared = group.length > 0 || this.#waitedFor.length > 0
    if (isShared) this.#sqlite.exec('SAVEPOINT command')
    const done = await this.#run(request, { comparesBase: true })
    const isRefused = !('result' in done.reply)
    if (!isShared) {
      if (isRefused) this.#takeBack(done.undos)
      return done
    }
    // After some errors SQLite has rolled back the whole transaction.
    if (this.#sqlite.inTransaction) {
      if (isRefused) this.#sqlite.exec('ROLLBACK TO command')
      this.#sqlite.exec('RELEASE command')
    }
    if (isRefused) for (const undo of done.undos) undo()
    return done
  }

  /** Runs a command and takes it back, to learn whether it would be refused. */
  async #check({ port, request }: Queued): Promise<void> {
    const { reply, undos } = await this.#run(request, { comparesBase: true })
    this.#takeBack(undos)
    await this.#answer(port, 'result' in reply ? { id: request.id, checked: true } : reply)
  }

  /**
   * Starts a write transaction.
   * @returns why not, such as another program's lock
   */
  async #begin(maxWait: number): Promise<Error | null> {
    for (const began = performance.now(); ; await pause(lockInterval)) {
      try {
        this.#sqlite.exec('BEGIN IMMEDIATE')
        return null
      } catch (error) {
        const isLocked = storageFaultOf(error)?.kind === 'locked'
        // Waiting for a lock ends when the application closes.
        if (isLocked && !this.#closing && performance.now() - began <= maxWait) continue
        return error instanceof Error ? error : new Error(messageOf(error))
      }
    }
  }

  /**
   * Runs the commands of long jobs that arrive within {@link maxGroupTime} in one transaction while no caller
   * waits: a commit writes every changed page, and random index pages cost more than the rows. Each is
   * answered after the commit. A failing command rolls the group back: savepoints, which would spare the
   * others, copy each page before it changes and double the time of an import.
   */
  async #runGroup(): Promise<void> {
    if (this.#refusing) {
      for (const { port, request } of this.#background.splice(0))
        await this.#answer(port, damaged(request.id))
      return
    }
    this.#use('NORMAL')
    // No caller waits for these commands, so they wait for a lock without a limit.
    const refusal = await this.#begin(0)
    if (storageFaultOf(refusal)?.kind === 'locked') {
      // When the application closes, they are left to the next start.
      if (this.#closing) this.#background.length = 0
      return pause(lockInterval)
    }
    this.#groupBegan = performance.now()
    const group: Group = { answered: [], changes: [], undos: [], failure: refusal, rest: null }
    do {
      const queued = this.#background.shift()
      if (!queued || !(await this.#runInGroup(queued, group))) break
    } while (!(await this.#shouldPause()))
    this.#endGroup(group)
    if (this.#checkpointer.hasBegun) this.#readEnd()
    for (const { port, reply } of group.answered) await this.#answer(port, reply)
  }

  async #runInGroup({ port, request }: Queued, group: Group): Promise<boolean> {
    if (group.failure) {
      group.answered.push({ port, reply: fault(request.id, 'begin', group.failure) })
      return false
    }
    const changedRows = this.#totalChanges.get()
    // A request that runs long work checks the version itself: refusing a part of that work would leave it
    // half done.
    const { reply, changes, undos, error } = await this.#run(request, { comparesBase: false })
    group.changes.push(...changes)
    group.undos.push(...undos)
    if ('result' in reply && reply.result instanceof Unfinished) {
      group.rest = { port, request: { ...request, input: reply.result.rest as unknown } }
      return false
    }
    group.answered.push({ port, reply })
    if ('result' in reply) return true
    for (const undo of undos) undo()
    // SQLite rolls back by itself after some errors.
    const isWhole = this.#totalChanges.get() === changedRows && this.#sqlite.inTransaction
    if (!isWhole) {
      group.failure = error ?? new Error(`${request.name} failed, and the commands beside it were taken back`)
    }
    return isWhole
  }

  #endGroup(group: Group): void {
    const { answered, changes, undos, failure, rest } = group
    try {
      if (failure) throw failure
      this.#commit()
      // The commit may have started a new log.
      this.#end = null
      this.#publish(changes)
      if (rest) this.#background.unshift(rest)
    } catch (error) {
      this.#takeBack(undos)
      if (rest) answered.push({ port: rest.port, reply: fault(rest.request.id, 'commit', error) })
      for (const each of answered)
        if ('result' in each.reply) each.reply = fault(each.reply.id, 'commit', error)
    }
  }

  async #answer(port: MessagePort, reply: CommandReply): Promise<void> {
    if ('storage' in reply && reply.storage === 'full') await this.#checkpointer.holdOff()
    if ('storage' in reply && reply.storage === 'damaged' && !this.#refusing) this.#metDamage()
    port.postMessage(reply)
  }

  async #shouldPause(): Promise<boolean> {
    await messagesIn()
    const maxTime = this.#isShared() ? maxGroupTimeMeanwhile : maxGroupTime
    return this.#waitedFor.length > 0 || performance.now() - this.#groupBegan >= maxTime
  }

  /** True if a caller is waiting, or if one waited so recently that another one is expected. */
  #isShared(): boolean {
    return this.#waitedFor.length > 0 || performance.now() - this.#lastWaitedFor < expectedWithin
  }

  async #run(
    { id, name, input, origin, unchangedSince }: CommandRequest,
    { comparesBase }: { comparesBase: boolean }
  ): Promise<Done> {
    const { run, writesSubscribersOnly } = commandNamed(this.#commands, name)
    this.#memory.isOn = writesSubscribersOnly
    const changes: Change[] = []
    const clock = Date.now()
    this.#lastNow = Math.max(clock, this.#lastNow + 1)
    const undos: (() => void)[] = []
    const context: CommandContext = {
      db: this.#db,
      sqlite: this.#sqlite,
      now: this.#lastNow,
      clock,
      origin: origin ?? null,
      record: (change) => void changes.push(change),
      shouldPause: () => this.#shouldPause(),
      isShared: () => this.#isShared(),
      onRollback: (undo) => void undos.push(undo)
    }
    try {
      const result = await run(context, input)
      const isBased = unchangedSince !== undefined
      const logged = changes.filter(({ isUnlogged }) => !isUnlogged)
      if (isBased && comparesBase) await requireUnchanged(context, logged, unchangedSince)
      const lastChange = await appendToChangeLog(context, logged)
      return {
        reply: { id, result, ...(isBased && lastChange !== null && { lastChange }) },
        changes,
        undos,
        lastChange
      }
    } catch (error) {
      const nothing = { changes: [], undos, lastChange: null }
      const storage = storageFaultOf(error)
      if (storage) return { reply: fault(id, name, storage), error: storage, ...nothing }
      if (!(error instanceof ApiError)) return { reply: fault(id, name, error), ...nothing }
      const { code, refusals, data } = error
      return { reply: { id, refused: { code, refusals, data } }, ...nothing }
    }
  }

  /**
   * Commits what the commands of a group wrote, or rolls it back if all were refused. If the commit fails, all are repeated one by one: it may
   * be the fault of one of them, and others may have been refused because of rows that were rolled back.
   * @returns those whose changes stand, and those that are to be answered
   */
  #commitGroup(group: readonly Finished[]): { written: Finished[]; answered: readonly Finished[] } {
    const written = group.filter(({ done }) => 'result' in done.reply)
    try {
      if (written.length === 0) this.#takeBack([])
      else if (this.#sqlite.inTransaction) this.#commit()
      else throw group.find(({ done }) => done.error)?.done.error ?? new Error('the transaction has ended')
      return { written, answered: group }
    } catch (error) {
      this.#takeBack(written.flatMap(({ done }) => done.undos))
      if (group.length > 1 && !this.#isUnsynced) {
        const repeated = group.filter(({ done }) => !done.error)
        this.#waitedFor.unshift(...repeated.map(({ queued }) => ({ ...queued, isRepeated: true })))
        return { written: [], answered: group.filter(({ done }) => done.error) }
      }
      for (const { done } of written) done.reply = fault(done.reply.id, 'commit', error)
      return { written: [], answered: group }
    }
  }

  #commit(): void {
    this.#identities.require()
    try {
      this.#sqlite.exec('COMMIT')
    } catch (error) {
      this.#isUnsynced ||= isUnsynced(error)
      throw error
    }
  }

  /** Stores the position of the last change once a commit is durable. */
  #noteLastChange(changeLogId: number | null): void {
    this.#changeLogId = changeLogId ?? this.#changeLogId
    // Nothing is noted before the checksums of the pages: one note without the other would look like a lost
    // file.
    if (!this.#checkpointer.hasBegun) return
    const before = this.#end
    this.#readEnd()
    const end = this.#end
    // SQLite counts a row that is set to its current values as changed but writes nothing. Earlier commits
    // may not be durable yet.
    if (end && before && end.frames === before.frames && end.salts === before.salts) return
    try {
      this.#lastChange.note({ changeLogId: this.#changeLogId, log: end })
    } catch (error) {
      // An earlier position detects fewer faults and causes no false alarm.
      process.stderr.write(`The last change could not be noted: ${messageOf(error)}\n`)
    }
  }

  /** Reads where the log ends. One that grows is the same one still. */
  #readEnd(): void {
    const known = this.#end
    this.#end = null
    try {
      const frames = this.#checkpointer.logLength
      const salts = known && frames > known.frames ? known.salts : saltsOfLog(this.#databasePath)
      this.#end = salts === null ? null : { salts, frames }
    } catch (error) {
      process.stderr.write(`The end of the log could not be read: ${messageOf(error)}\n`)
    }
  }

  /** Rolls back, where SQLite has not done so by itself, and undoes what commands changed outside of the database. */
  #takeBack(undos: (() => void)[]): void {
    if (this.#sqlite.inTransaction) this.#sqlite.exec('ROLLBACK')
    for (const undo of undos) undo()
  }

  #publish(changes: Change[]): void {
    if (changes.length === 0) return
    // Listeners read the current state themselves; sending the former values of a million records would only
    // take time.
    const told = changes.map(({ members: _members, details: _details, ...change }) => change)
    this.#home.postMessage({ changes: told } satisfies WriterEvent)
  }

  #goOn(): void {
    this.#refusing = false
    this.#checkpointer.begin()
    this.#readEnd()
  }

  #refuse(): void {
    this.#refusing = true
    this.#checkpointer.hold()
  }

  /** Stops all writes: damage must not be overwritten or built upon. */
  #metDamage(): void {
    this.#refuse()
    this.#home.postMessage({ damaged: true } satisfies WriterEvent)
  }

  #use(wanted: Durability): void {
    if (wanted === this.#durability) return
    setDurability(this.#sqlite, wanted)
    this.#durability = wanted
  }

  /**
   * Finishes open work, then notifies the writer, whose log keeper stays open until then so that a fault
   * leaves the log unchanged.
   */
  async #finish(): Promise<void> {
    this.#closing = true
    while (this.#running) await messagesIn()
    this.#isFinished = true
    await this.#checkpointer.finish()
    this.#home.postMessage({ finished: true } satisfies WriterEvent)
  }

  #close(): void {
    this.#checkpointer.close(this.#lastChange)
    process.exit(0)
  }
}

/** Reads new messages, so that a command with a waiting caller overtakes the queue of an import. */
function messagesIn(): Promise<void> {
  return new Promise(setImmediate)
}

function damaged(id: number): CommandReply {
  return { id, storage: 'damaged' }
}

function fault(id: number, name: string, error: unknown): CommandReply {
  const storage = storageFaultOf(error)
  if (storage) return { id, storage: storage.kind }
  const details = error instanceof Error ? (error.stack ?? error.message) : messageOf(error)
  return { id, failed: `${name}: ${details}` }
}
