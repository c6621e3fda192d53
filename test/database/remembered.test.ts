import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { kyselyOver, openForReading, openForWriting } from '../../src-main/database/connection.ts'
import { remembered, rememberReads } from '../../src-main/database/remembered.ts'
import { temporaryDirectory } from '../support/application.ts'
import { seededRandom } from '../support/random.ts'

/** A writer thread: stores each number that it is sent, and sends it back once it is committed. */
const writerThread = `
  const { parentPort, workerData } = require('node:worker_threads')
  const database = new (require('better-sqlite3'))(workerData)
  database.pragma('synchronous = OFF')
  const update = database.prepare("UPDATE settings SET value = ? WHERE name = 'count'")
  parentPort.on('message', (count) => {
    update.run(String(count))
    parentPort.postMessage(count)
  })`

/** A setting that a writer thread changes, and this one reads. */
async function readAndWritten() {
  const path = join(await temporaryDirectory(), 'a.db')
  const writing = openForWriting(path)
  writing.exec(`CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    INSERT INTO settings VALUES ('count', '0')`)
  const connection = openForReading(path)
  const reader = kyselyOver(connection)
  rememberReads(reader, connection)
  const writer = new Worker(writerThread, { eval: true, workerData: path })
  onTestFinished(async () => {
    await writer.terminate()
    connection.close()
    writing.close()
  })
  let queries = 0
  let answered = 0
  writer.on('message', (count: number) => (answered = count))
  return {
    queries: () => queries,
    answered: () => answered,
    nextAnswer: () => once(writer, 'message'),
    send: (count: number) => writer.postMessage(count),
    read: (name = 'count') =>
      remembered(reader, `setting ${name}`, async () => {
        queries++
        return reader
          .selectFrom('settings')
          .select('value')
          .where('name', '=', name)
          .executeTakeFirstOrThrow()
      })
  }
}

describe('a remembered query', () => {
  it('reads a query once until another connection commits', async () => {
    const { queries, nextAnswer, send, read } = await readAndWritten()

    await read()
    await read()
    expect(queries()).toBe(1)
    send(1)
    await nextAnswer()
    expect(await read()).toEqual({ value: '1' })
    expect(queries()).toBe(2)
  })

  it('shares a frozen result', async () => {
    const { read } = await readAndWritten()

    const result = await read()

    expect(() => (result.value = 'other')).toThrow(TypeError)
  })

  it('reads a query again after a failure', async () => {
    const { queries, read } = await readAndWritten()

    await expect(read('missing')).rejects.toThrow()
    await expect(read('missing')).rejects.toThrow()

    expect(queries()).toBe(2)
  })

  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e6))

  it(`never returns what was stored before the last answer, in 10,000 interleavings with a writer (SEED=${seed})`, async () => {
    const { answered, nextAnswer, send, read } = await readAndWritten()
    const random = seededRandom(seed)
    let sent = 0
    const begun: { since: number; result: Promise<{ value: string }> }[] = []
    let readsAfterAnswer = 0

    for (let step = 0; step < 10_000; step++) {
      const chance = random()
      if (chance < 0.25 && sent - answered() < 3) send(++sent)
      else if (chance < 0.6) {
        begun.push({ since: answered(), result: read() })
        if (answered() === sent) readsAfterAnswer++
      } else if (chance < 0.65) await Promise.resolve()
      else if (chance < 0.7) await new Promise((resolve) => process.nextTick(resolve))
      else if (chance < 0.75) await new Promise(setImmediate)
      else if (chance < 0.9 && answered() < sent) await nextAnswer()
      const next = chance >= 0.9 ? begun.shift() : undefined
      if (next) expect(Number((await next.result).value)).toBeGreaterThanOrEqual(next.since)
    }

    for (const { since, result } of begun) expect(Number((await result).value)).toBeGreaterThanOrEqual(since)
    expect(answered()).toBeGreaterThan(500)
    expect(readsAfterAnswer).toBeGreaterThan(500)
  })
})
