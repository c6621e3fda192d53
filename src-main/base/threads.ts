import { setPriority } from 'node:os'
import { extname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MessageChannel, type MessagePort, Worker, workerData } from 'node:worker_threads'

/**
 * Memory of a thread's JavaScript heap, in MB. Rows live shortly; without these limits V8 lets garbage pile up to
 * several times of what is in use.
 */
const heapLimits = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 128 }

/** How much the threads of long jobs, and the one that copies the log, give way to those that somebody waits for; see nice(2). */
const niceness = 10

/**
 * Lets the calling thread give way to others. Only Linux knows the priority of a thread; elsewhere it would be that of
 * the whole application.
 */
export function giveWay(): void {
  if (process.platform === 'linux') setPriority(niceness)
}

/** What a thread is started with. */
export interface ThreadStart {
  /** The address of the module that it is for. */
  entry: string
  data: unknown
  /** Told when the module is loaded. */
  loaded: MessagePort
}

/** Settled once a thread has loaded its module, or is gone. */
const loadings = new WeakMap<Worker, Promise<unknown>>()

/**
 * Starts the thread whose entry `name` lies beside the module `base` (its import.meta.url). Works from the sources,
 * which Node runs as they are, and from the build, all files of which lie in one folder.
 * @param options `data` is what the entry reads by {@link threadData}; `heapMegabytes` is for a thread whose work is short and needs more
 */
export function startThread(
  base: string,
  name: string,
  options: { name: string; data?: unknown; heapMegabytes?: number }
): Worker {
  const extension = extname(fileURLToPath(base))
  const { port1: loaded, port2 } = new MessageChannel()
  const start: ThreadStart = {
    entry: new URL(`./${name}${extension}`, base).href,
    data: options.data,
    loaded: port2
  }
  const thread = new Worker(new URL(`./loading-thread${extension}`, import.meta.url), {
    name: options.name,
    workerData: start,
    transferList: [port2],
    resourceLimits: {
      ...heapLimits,
      ...(options.heapMegabytes !== undefined && { maxOldGenerationSizeMb: options.heapMegabytes })
    }
  })
  const isLoaded = new Promise((resolve) => {
    loaded.once('message', resolve)
    thread.once('exit', resolve)
  })
  loadings.set(thread, isLoaded)
  void isLoaded.then(() => loaded.close())
  return thread
}

/** What the calling thread was started with. */
export function threadData(): unknown {
  return (workerData as ThreadStart).data
}

/** How long a thread that is ended is waited for, in milliseconds. */
const endingTime = 2000

/** Threads that were ended and are not gone. */
const ending = new Set<Worker>()

/**
 * Ends a thread at once, but not before it has loaded: a thread that is ended while it loads native code takes the whole process with
 * it. One that parses a long text or collects garbage goes on until that is done; it is waited for two seconds, and then left behind.
 */
export async function endThread(thread: Worker): Promise<void> {
  const hasExited = thread.threadId === -1
  if (hasExited) return
  ending.add(thread)
  thread.once('exit', () => ending.delete(thread))
  const ended = (loadings.get(thread) ?? Promise.resolve()).then(() => thread.terminate())
  await Promise.race([ended, pause(endingTime, undefined, { ref: false })])
}

/** True if threads were ended that are still at work: the process would wait for them at its end. */
export function hasThreadsLeft(): boolean {
  return ending.size > 0
}
