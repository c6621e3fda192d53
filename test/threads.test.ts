import { readFile, rm, writeFile } from 'node:fs/promises'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { endThread, startThread } from '../src-main/base/threads.ts'

const directory = mkdtempSync(join(tmpdir(), 'listwright-threads-'))
afterAll(() => rm(directory, { recursive: true }))

async function start(source: string): Promise<ReturnType<typeof startThread>> {
  await writeFile(join(directory, 'made-thread.ts'), source)
  return startThread(pathToFileURL(join(directory, 'base.ts')).href, 'made-thread', { name: 'made' })
}

it('a thread that is ended while it loads is let load: native code that it loads would take the process with it', async () => {
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

it('a thread whose module cannot be loaded is told of as an error, and can be ended', async () => {
  const thread = await start("throw new Error('cannot be loaded')")
  const error = await new Promise((resolve) => thread.once('error', resolve))
  expect(error).toMatchObject({ message: 'cannot be loaded' })
  await endThread(thread)
})
