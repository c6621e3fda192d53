import { setPriority } from 'node:os'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'

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

/**
 * Starts the thread whose entry `name` lies beside the module `base` (its import.meta.url). Works from the sources,
 * which Node runs as they are, and from the build, which keeps one file per source file.
 */
export function startThread(base: string, name: string, options: WorkerOptions): Worker {
  return new Worker(new URL(`./${name}${extname(fileURLToPath(base))}`, base), {
    ...options,
    resourceLimits: heapLimits
  })
}
