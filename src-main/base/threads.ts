import { setPriority } from 'node:os'
import { extname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MessageChannel, type MessagePort, Worker, workerData } from 'node:worker_threads'

/**
 * Limits of a thread's JavaScript heap in MB. Rows are short-lived; without limits V8 accumulates garbage
 * several times their size.
 */
const heapLimits = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 128 }

/** The priority of the threads of long jobs and of checkpoints; see nice(2). */
const niceness = 10

/** Lowers the priority of the calling thread. Only on Linux: elsewhere it would affect the whole process. */
export function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(niceness)
}

export interface ThreadStart {
  /** The address of the module that it is for. */
  entry: string
  data: unknown
  /** Receives a message once the module is loaded. */
  loaded: MessagePort
}

/** Resolves once a thread has loaded its module or ended. */
const loadings = new WeakMap<Worker, Promise<unknown>>()

/**
 * Starts the thread whose entry `name` is next to the module `base` (its import.meta.url). Works from the
 * sources, and from the build, which has all files in one folder.
 * @param options `data` is returned by {@link threadData} in the thread, `ports` are those in it; `heapMegabytes` is
 * for short work that needs more
 */
export function startThread(
  base: string,
  name: string,
  options: { name: string; data?: unknown; ports?: MessagePort[]; heapMegabytes?: number }
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
    transferList: [port2, ...(options.ports ?? [])],
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

export function threadData(): unknown {
  return (workerData as ThreadStart).data
}

/** Time for a thread to end on request, in milliseconds. */
const endingTime = 2000

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
