import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { commands } from '../commands.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError, messageOf, type StorageFault, storageFaultOf } from '../base/errors.ts'
import { type Change, type Command, type CommandContext, Unfinished } from './command.ts'
import { appendToChangeLog } from './change-log.ts'
import { Checkpointer } from './checkpointer.ts'
import { type Durability, kyselyOver, openForWriting, setDurability } from './connection.ts'
import { migrate } from './migrate.ts'
import type { CommandReply, CommandRequest, WriterEvent, WriterOptions } from './writer.ts'

// The thread that owns the only writing connection. Commands arrive on several ports and run one at a time, inside
// transactions that this module alone begins and ends.

interface Queued {
  port: MessagePort
  request: CommandRequest
}

/** How long a command waits for a lock of another program, and how often it looks, in milliseconds. */
const maxWaitForLock = 5000
const lockInterval = 25
/** How long commands of long jobs may share one transaction, in milliseconds. */
const maxGroupTime = 250
/**
 * The same while somebody makes changes: whoever comes next waits for what the long jobs are at, for the commit of what
 * they did, and for the disk to have all of it.
 */
const maxGroupTimeMeanwhile = 3
/** For how long after a change another one is expected, in milliseconds. */
const expectedWithin = 500

if (!parentPort) throw new Error('writer-thread runs as a worker thread')
const home: MessagePort = parentPort
const options = workerData as WriterOptions

const sqlite = openForWriting(options.databasePath)
migrate(sqlite, options.backupDirectory)
// Where another program has the lock, this thread waits by itself: it goes on taking messages.
sqlite.pragma('busy_timeout = 0')
const db = kyselyOver(sqlite)
const checkpointer = new Checkpointer(sqlite, options.databasePath, () => wake())
/** Rows that this connection ever changed. */
const totalChanges = sqlite.prepare('SELECT total_changes()').pluck()

const waitedFor: Queued[] = []
const background: Queued[] = []
let running = false
let closing = false
let wake: () => void = () => undefined
let durability: Durability = 'FULL'
/** When the last command that somebody waited for was done, by performance.now(). */
let lastWaitedFor = -Infinity
/** When the group that is open began, by performance.now(). */
let groupBegan = 0
/** No two commands have the same time, so that what one of them wrote can be told from what a later one did. */
let lastNow = 0

function listenOn(port: MessagePort): void {
  port.on('message', (message: CommandRequest | { connect: MessagePort } | { close: true }) => {
    if ('connect' in message) return listenOn(message.connect)
    if ('close' in message) return void closeWhenIdle()
    const command = commands[message.name]
    const queue = typeof command === 'function' ? waitedFor : background
    queue.push({ port, request: message })
    if (running) wake()
    else void drain()
  })
}

async function drain(): Promise<void> {
  running = true
  while (waitedFor.length > 0 || background.length > 0) {
    const next = waitedFor.shift()
    if (next) await runAlone(next)
    else if (checkpointer.isBehind) await somethingHappens()
    else await runGroup()
    checkpointer.afterCommit()
    await messagesIn()
  }
  running = false
}

/** Waits for a command or for the copying of the log. */
function somethingHappens(): Promise<void> {
  return new Promise((resolve) => (wake = resolve))
}

/** Lets messages in, so that a command that somebody waits for overtakes the queue of an import. */
function messagesIn(): Promise<void> {
  return new Promise(setImmediate)
}

/** A command that somebody waits for: a transaction of its own, on disk before it answers. */
async function runAlone(queued: Queued): Promise<void> {
  use('FULL')
  const refusal = await begin(maxWaitForLock)
  if (refusal) return answer(queued.port, fault(queued.request.id, 'begin', refusal))
  const done = await run(queued.request)
  if (settle(done)) publish(done.changes)
  await answer(queued.port, done.reply)
  lastWaitedFor = performance.now()
}

/** Begins a transaction as the one that writes. @returns why it could not, such as another program's lock */
async function begin(maxWait: number): Promise<Error | null> {
  for (const began = performance.now(); ; await pause(lockInterval)) {
    try {
      sqlite.exec('BEGIN IMMEDIATE')
      return null
    } catch (error) {
      const isLocked = storageFaultOf(error)?.kind === 'locked'
      if (isLocked && performance.now() - began <= maxWait) continue
      return error instanceof Error ? error : new Error(messageOf(error))
    }
  }
}

/**
 * Commands of long jobs: as many in one transaction as come within {@link maxGroupTime} while nobody else waits, because
 * a commit writes every page that was touched, and random index pages cost more than the rows themselves. Each is
 * answered after the commit. One that fails half way takes the group back with it: savepoints, which would spare the
 * others, copy each page before it changes, and double the time of an import.
 */
async function runGroup(): Promise<void> {
  use('NORMAL')
  // Nobody waits for these, so they wait for a lock as long as it takes, behind those that somebody waits for.
  const refusal = await begin(0)
  if (storageFaultOf(refusal)?.kind === 'locked') {
    // At the end of the application they are left to its next start.
    if (closing) background.length = 0
    return pause(lockInterval)
  }
  groupBegan = performance.now()
  const answered: { port: MessagePort; reply: CommandReply }[] = []
  const changes: Change[] = []
  const undos: (() => void)[] = []
  let failure = refusal
  let rest: Queued | null = null
  do {
    const queued = background.shift()
    if (!queued) break
    if (failure) {
      answered.push({ port: queued.port, reply: fault(queued.request.id, 'begin', failure) })
      break
    }
    const changedRows = totalChanges.get()
    const done = await run(queued.request)
    changes.push(...done.changes)
    undos.push(...done.undos)
    if ('result' in done.reply && done.reply.result instanceof Unfinished) {
      rest = { port: queued.port, request: { ...queued.request, input: done.reply.result.rest as unknown } }
      break
    }
    answered.push({ port: queued.port, reply: done.reply })
    if (!('result' in done.reply)) for (const undo of done.undos) undo()
    // After some faults SQLite has rolled back by itself.
    if (!('result' in done.reply) && (totalChanges.get() !== changedRows || !sqlite.inTransaction)) {
      failure =
        done.error ?? new Error(`${queued.request.name} failed, and the commands beside it were taken back`)
      break
    }
  } while (!(await shouldPause()))
  try {
    if (failure) throw failure
    sqlite.exec('COMMIT')
    publish(changes)
    if (rest) background.unshift(rest)
  } catch (error) {
    takeBack(undos)
    if (rest) answered.push({ port: rest.port, reply: fault(rest.request.id, 'commit', error) })
    for (const each of answered)
      if ('result' in each.reply) each.reply = fault(each.reply.id, 'commit', error)
  }
  for (const { port, reply } of answered) await answer(port, reply)
}

async function answer(port: MessagePort, reply: CommandReply): Promise<void> {
  if ('storage' in reply && reply.storage === 'full') await checkpointer.holdOff()
  port.postMessage(reply)
}

/** Lets messages in, and tells whether the open group should end. */
async function shouldPause(): Promise<boolean> {
  await messagesIn()
  const now = performance.now()
  const longest = now - lastWaitedFor < expectedWithin ? maxGroupTimeMeanwhile : maxGroupTime
  return waitedFor.length > 0 || now - groupBegan >= longest
}

interface Done {
  reply: CommandReply
  changes: Change[]
  /** What {@link CommandContext.onRollback} was given. */
  undos: (() => void)[]
  /** What kept the command from being written, if that is what happened. */
  error?: StorageFault
}

/** Runs a command inside the open transaction, with its entries in the change log. */
async function run({ id, name, input }: CommandRequest): Promise<Done> {
  const command = commands[name]
  const call = (typeof command === 'function' ? command : command.run) as Command<unknown, unknown>
  const changes: Change[] = []
  const clock = Date.now()
  lastNow = Math.max(clock, lastNow + 1)
  const undos: (() => void)[] = []
  const context: CommandContext = {
    db,
    sqlite,
    now: lastNow,
    clock,
    record: (change) => void changes.push(change),
    shouldPause,
    onRollback: (undo) => void undos.push(undo)
  }
  try {
    const result = await call(context, input)
    await appendToChangeLog(context, changes)
    return { reply: { id, result }, changes, undos }
  } catch (error) {
    const storage = storageFaultOf(error)
    if (storage) return { reply: fault(id, name, storage), changes: [], undos, error: storage }
    if (!(error instanceof ApiError)) return { reply: fault(id, name, error), changes: [], undos }
    const { code, message, data } = error
    return { reply: { id, refused: { code, message, data } }, changes: [], undos }
  }
}

/** Commits or rolls back. @returns whether the changes stand; a commit that fails turns the reply into a fault */
function settle(done: Done): boolean {
  if (!('result' in done.reply)) {
    takeBack(done.undos)
    return false
  }
  try {
    sqlite.exec('COMMIT')
    return true
  } catch (error) {
    takeBack(done.undos)
    done.reply = fault(done.reply.id, 'commit', error)
    return false
  }
}

/** Rolls back, where SQLite has not done so by itself, and undoes what commands changed outside of the database. */
function takeBack(undos: (() => void)[]): void {
  if (sqlite.inTransaction) sqlite.exec('ROLLBACK')
  for (const undo of undos) undo()
}

function fault(id: number, name: string, error: unknown): CommandReply {
  const storage = storageFaultOf(error)
  if (storage) return { id, storage: storage.kind }
  const details = error instanceof Error ? (error.stack ?? error.message) : messageOf(error)
  return { id, failed: `${name}: ${details}` }
}

function publish(changes: Change[]): void {
  if (changes.length > 0) home.postMessage({ changes } satisfies WriterEvent)
}

function use(wanted: Durability): void {
  if (wanted === durability) return
  setDurability(sqlite, wanted)
  durability = wanted
}

async function closeWhenIdle(): Promise<void> {
  closing = true
  while (running) await messagesIn()
  await checkpointer.close()
  sqlite.close()
  process.exit(0)
}

listenOn(home)
home.postMessage({ ready: true } satisfies WriterEvent)
