import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { endThread, hasThreadsLeft, startThread } from '../src-main/base/threads.ts'

const directory = mkdtempSync(join(tmpdir(), 'listwright-threads-'))
afterAll(() => rm(directory, { recursive: true }))

async function start(source: string): Promise<ReturnType<typeof startThread>> {
  await writeFile(join(directory, 'made-thread.ts'), source)
  return startThread(pathToFileURL(join(directory, 'base.ts')).href, 'made-thread', { name: 'made' })
}

it('a thread is not terminated while it loads native code, which would end the process', async () => {
  const trace = join(directory, 'trace')
  const thread = await start(`
    import { setTimeout as pause } from 'node:timers/promises'
    import { appendFileSync } from 'node:fs'
    await pause(200)
    appendFileSync(${JSON.stringify(trace)}, 'loaded')
    setInterval(() => undefined, 1000)
  `)
  await endThread(thread)
  expect(await readFile(trace, 'utf8')).toBe('loaded')
  expect(thread.threadId).toBe(-1)
})

it('a thread whose module cannot be loaded is reported as an error, and can be ended', async () => {
  const thread = await start("throw new Error('cannot be loaded')")
  const error = await new Promise((resolve) => thread.once('error', resolve))
  expect(error).toMatchObject({ message: 'cannot be loaded' })
  await endThread(thread)
})

/** Milliseconds after its message in which a thread has entered the uninterruptible call. */
const entering = 500

/** A thread that posts a message right before it does what nothing can interrupt for a while. */
const stuckFor = (iterations: number): string => `
  import { pbkdf2Sync } from 'node:crypto'
  import { parentPort } from 'node:worker_threads'
  setTimeout(() => {
    parentPort.postMessage('stuck')
    pbkdf2Sync('', '', ${iterations}, 64, 'sha512')
  }, 1)
`

it('a thread that cannot be interrupted is awaited for two seconds', async () => {
  const thread = await start(stuckFor(12_000_000))
  await new Promise((resolve) => thread.once('message', resolve))
  await pause(entering)
  const began = performance.now()
  await endThread(thread)
  expect(performance.now() - began).toBeLessThan(3000)
  expect(hasThreadsLeft()).toBe(true)
  await new Promise((resolve) => thread.once('exit', resolve))
  expect(hasThreadsLeft()).toBe(false)
}, 60_000)

it.each([0, 1])('the process ends with status %i whatever its threads do', async (status) => {
  await writeFile(join(directory, 'made-thread.ts'), stuckFor(40_000_000))
  const program = `
    import { endThread, hasThreadsLeft, startThread } from ${JSON.stringify(resolve('src-main/base/threads.ts'))}
    import { endApplication } from ${JSON.stringify(resolve('src-main/headless/signals.ts'))}
    const thread = startThread(${JSON.stringify(pathToFileURL(join(directory, 'base.ts')).href)}, 'made-thread', { name: 'made' })
    const end = () => endApplication({ close: () => endThread(thread) }, ${status})
    thread.once('message', () => setTimeout(end, ${entering}))
  `
  const path = join(directory, 'program.mjs')
  await writeFile(path, program)
  const began = performance.now()
  const child = spawn(process.execPath, [path], { stdio: 'inherit' })
  const [ended] = (await once(child, 'exit')) as [number | null]
  expect(ended).toBe(status)
  expect(performance.now() - began).toBeLessThan(5000)
})
