import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { kyselyOver, openForReading, openForWriting } from '../../src-main/database/connection.ts'
import { remembered, rememberReads } from '../../src-main/database/remembered.ts'
import { temporaryDirectory } from '../support/application.ts'
import { seededRandom } from '../support/random.ts'

/** A setting that one connection changes, and another one reads. */
async function readAndWritten() {
  const path = join(await temporaryDirectory(), 'a.db')
  const writing = openForWriting(path)
  writing.exec(`CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    INSERT INTO settings VALUES ('count', '0')`)
  const connection = openForReading(path)
  const reader = kyselyOver(connection)
  rememberReads(reader, connection)
  onTestFinished(() => {
    connection.close()
    writing.close()
  })
  let queries = 0
  const update = writing.prepare("UPDATE settings SET value = ? WHERE name = 'count'")
  return {
    queries: () => queries,
    write: (count: number) => void update.run(String(count)),
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
    const { queries, write, read } = await readAndWritten()

    await read()
    await read()
    expect(queries()).toBe(1)
    write(1)
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

  it(`never returns what was stored before its call, in 10,000 interleavings with changes (SEED=${seed})`, async () => {
    const { write, read } = await readAndWritten()
    const random = seededRandom(seed)
    let count = 0
    const begun: { since: number; result: Promise<{ value: string }> }[] = []

    for (let step = 0; step < 10_000; step++) {
      const chance = random()
      if (chance < 0.3) write(++count)
      else if (chance < 0.7) begun.push({ since: count, result: read() })
      else if (chance < 0.85) await Promise.resolve()
      const next = chance >= 0.85 ? begun.shift() : undefined
      if (next) expect(Number((await next.result).value)).toBeGreaterThanOrEqual(next.since)
    }
    for (const { since, result } of begun) expect(Number((await result).value)).toBeGreaterThanOrEqual(since)
  })
})
