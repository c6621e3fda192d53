import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'

/** The environment variable that names the directory into which processes and threads write what they reach. */
export const reachDirectory = 'LISTWRIGHT_REACH'

const directory = process.env[reachDirectory]
const known = new Set<number>()

/** Called by instrumented sources in each block. Written at once, since tests kill processes. */
export function reached(block: number): void {
  if (directory === undefined || known.has(block)) return
  known.add(block)
  appendFileSync(join(directory, `${process.pid}-${threadId}`), `${block}\n`)
}
