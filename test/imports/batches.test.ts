import { describe, expect, it } from 'vitest'
import type { ImportBatch, PackedBatch } from '../../src-main/imports/plan.ts'
import { RowPacker } from '../../src-main/imports/row-packer.ts'
import { Unfinished } from '../../src-main/database/command.ts'
import type { CommandInput } from '../../src-main/database/command.ts'
import { type CommandBench, commandBench, plainImport } from '../support/commands.ts'

type Batch = CommandInput<'subscriberImports.writeBatch'>

const rows = 600

function batchOf(number: number): ImportBatch {
  return {
    emails: Array.from({ length: rows }, (_, row) => `b${number}r${row}@example.com`),
    customFields: Array.from({ length: rows }, () => `{"filler":"${'x'.repeat(200)}"}`)
  }
}

async function begun(bench: CommandBench): Promise<number> {
  await bench.run('accounts.ensureSystemOrganization', undefined)
  const mailingListId = await bench.run('mailingLists.create', { organizationId: 1, list: { name: 'List' } })
  const id = await bench.run('subscriberImports.create', plainImport(mailingListId))
  await bench.run('subscriberImports.begin', { id, dataDirectory: bench.directory })
  await bench.run('subscriberImports.startSplitting', { id, fingerprint: 'same' })
  await bench.run('subscriberImports.startImporting', { id, records: 2 * rows })
  return id
}

async function resume(bench: CommandBench, id: number): Promise<void> {
  const plan = await bench.run('subscriberImports.begin', { id, dataDirectory: bench.directory })
  for (const index of [0, 1]) {
    const batch = batchOf(index)
    const before = plan?.committed[index]
    // Of a packed batch; the rows themselves are what counts.
    expect([undefined, rows]).toContain(before?.rows)
    const done = before?.outcomes
    if (done?.length === rows) continue
    const input = { id, index, batch, ...(done && { done }) }
    const outcomes = await bench.run('subscriberImports.writeBatch', input)
    expect(outcomes).toHaveLength(rows)
  }
}

function stateOf(bench: CommandBench, id: number) {
  const stats = bench.sqlite
    .prepare<[number], { counts: string; records_imported: number }>(
      'SELECT counts, records_imported FROM subscriber_imports WHERE id = ?'
    )
    .get(id)
  const subscribers = bench.sqlite.prepare('SELECT count(*) FROM subscribers').pluck().get()
  return {
    ...(JSON.parse(stats?.counts ?? '{}') as { added: number }),
    records: stats?.records_imported,
    subscribers
  }
}

const everything = { added: 2 * rows, skipped_duplicate: 0, records: 2 * rows, subscribers: 2 * rows }

describe('a batch of which only the first rows are written', () => {
  /**
   * Writes the first rows of the first batch.
   * @returns the rest of it
   */
  async function halfWritten(bench: CommandBench, id: number): Promise<Batch> {
    const paused = await bench.run(
      'subscriberImports.writeBatch',
      { id, index: 0, batch: batchOf(0) },
      { pauses: true }
    )
    if (!(paused instanceof Unfinished)) throw new Error('the batch did not pause')
    return paused.rest as Batch
  }

  it('is continued with exactly its rest', async () => {
    const bench = await commandBench()
    const id = await begun(bench)
    const rest = await halfWritten(bench, id)
    await expect(
      bench.run('subscriberImports.writeBatch', { id, index: 1, batch: batchOf(1) })
    ).rejects.toThrow('does not follow')
    // Also not by a rest that leaves rows out.
    await bench.run('subscriberImports.begin', { id, dataDirectory: bench.directory })
    const less: Batch = { ...rest, done: rest.done?.subarray(0, 100) ?? new Uint8Array() }
    await expect(bench.run('subscriberImports.writeBatch', less)).rejects.toThrow('does not follow')
  })

  it('continues after its rest did not fit on the disk and the next batch was refused', async () => {
    const bench = await commandBench()
    const id = await begun(bench)
    const rest = await halfWritten(bench, id)
    bench.limitPages(2)
    await expect(bench.run('subscriberImports.writeBatch', rest)).rejects.toThrow(/full/)
    bench.limitPages(null)
    // What was queued behind it comes to nothing: the session is gone with the fault.
    expect(await bench.run('subscriberImports.writeBatch', { id, index: 1, batch: batchOf(1) })).toBeNull()
    await resume(bench, id)
    expect(stateOf(bench, id)).toMatchObject(everything)
  })

  it.each([0, 1, 2, 3, 5, 8, 13, 21, 34, 55])(
    'loses nothing when the disk is full %i pages later',
    async (pages) => {
      const bench = await commandBench()
      const id = await begun(bench)
      bench.limitPages(pages)
      let rest: Parameters<typeof bench.run<'subscriberImports.writeBatch'>>[1] | null = {
        id,
        index: 0,
        batch: batchOf(0)
      }
      try {
        for (const index of [0, 1]) {
          rest = { id, index, batch: batchOf(index) }
          while (rest) {
            const result: unknown = await bench.run('subscriberImports.writeBatch', rest, { pauses: true })
            rest = result instanceof Unfinished ? (result.rest as Batch) : null
          }
        }
      } catch (error) {
        expect(String(error)).toMatch(/full/)
      }
      bench.limitPages(null)
      await resume(bench, id)
      expect(stateOf(bench, id)).toMatchObject(everything)
    }
  )
})

it('an import that has ended keeps no batches: their results are in its logs', async () => {
  const bench = await commandBench()
  const id = await begun(bench)
  await resume(bench, id)
  const batches = () => bench.sqlite.prepare('SELECT count(*) FROM import_batches').pluck().get()
  expect(batches()).toBe(2)
  await bench.run('subscriberImports.end', { id, end: { is: 'finished' } })
  expect(batches()).toBe(0)
})

it('a paused import takes no more batches from its former run, even after it is continued', async () => {
  const bench = await commandBench()
  const id = await begun(bench)
  await bench.run('subscriberImports.pause', { organizationId: 1, id })
  await bench.run('subscriberImports.unpause', { organizationId: 1, id })
  expect(await bench.run('subscriberImports.writeBatch', { id, index: 0, batch: batchOf(0) })).toBeNull()
  await resume(bench, id)
  expect(stateOf(bench, id)).toMatchObject(everything)
})

it('an import keeps the time at which it began, however often it begins again', async () => {
  const bench = await commandBench()
  const id = await begun(bench)
  const startedAt = bench.sqlite
    .prepare<[], number | null>('SELECT started_at FROM subscriber_imports')
    .pluck()
  const first = startedAt.get()
  expect(first).toEqual(expect.any(Number))
  await resume(bench, id)
  expect(startedAt.get()).toBe(first)
})

it.each([
  ['at once', null, 1],
  ['at a time that has come', -60_000, 1],
  ['now', 0, 1],
  ['later', 60_000, 0]
])('an import that is to begin %s says whether it begins at once', async (_when, offset, expected) => {
  const bench = await commandBench()
  await bench.run('accounts.ensureSystemOrganization', undefined)
  const mailingListId = await bench.run('mailingLists.create', { organizationId: 1, list: { name: 'List' } })
  const clock = Date.now()
  const beginsAt = offset === null ? null : clock + offset
  const id = await bench.run(
    'subscriberImports.create',
    { ...plainImport(mailingListId), beginsAt },
    { clock }
  )
  expect(
    bench.sqlite.prepare('SELECT begins_at_once FROM subscriber_imports WHERE id = ?').pluck().get(id)
  ).toBe(expected)
})

it('a batch whose commit failed is not remembered: its rows are no duplicates later', async () => {
  const bench = await commandBench()
  const id = await begun(bench)
  const first = { id, index: 0, batch: batchOf(0) }
  await expect(bench.run('subscriberImports.writeBatch', first, { failsToCommit: true })).rejects.toThrow(
    'commit'
  )
  await resume(bench, id)
  expect(stateOf(bench, id)).toMatchObject(everything)
})

describe('an import that is resumed', () => {
  function packed({ emails, customFields }: ImportBatch): PackedBatch {
    const packer = new RowPacker({ emails: [], customFields: [] })
    const texts = emails.map((email, row) => {
      packer.batch.emails.push(email)
      packer.batch.customFields.push(customFields[row] ?? '{}')
      return packer.pack(null)
    })
    return packer.batchOf(emails.length, Buffer.from(texts.join('')))
  }

  it('recognizes duplicates of rows in earlier batches', async () => {
    const bench = await commandBench()
    const id = await begun(bench)
    await bench.run('subscriberImports.writeBatch', { id, index: 0, batch: batchOf(0) })
    // As a killed application leaves it: of the first batch only what is in the database.
    const plan = await bench.run('subscriberImports.begin', { id, dataDirectory: bench.directory })
    const outcomes = plan?.committed[0]?.outcomes ?? new Uint8Array()
    await bench.run('subscriberImports.recallBatch', { id, batch: packed(batchOf(0)), outcomes })
    await bench.run('subscriberImports.writeBatch', { id, index: 1, batch: batchOf(0) })
    expect(stateOf(bench, id)).toMatchObject({
      added: rows,
      skipped_duplicate: rows,
      records: 2 * rows,
      subscribers: rows
    })
  })

  it('recognizes duplicates of rows in a half-written batch', async () => {
    const bench = await commandBench()
    const id = await begun(bench)
    const twice: ImportBatch = {
      ...batchOf(0),
      // The second half is the first half once more.
      emails: batchOf(0).emails.map((_, row, emails) => emails[row % (rows / 2)] ?? '')
    }
    const paused = await bench.run(
      'subscriberImports.writeBatch',
      { id, index: 0, batch: twice },
      { pauses: true }
    )
    expect(paused).toBeInstanceOf(Unfinished)
    const plan = await bench.run('subscriberImports.begin', { id, dataDirectory: bench.directory })
    const done = plan?.committed[0]?.outcomes ?? new Uint8Array()
    expect(done.length).toBeLessThan(rows)
    await bench.run('subscriberImports.recallBatch', { id, batch: packed(twice), outcomes: done })
    const outcomes = await bench.run('subscriberImports.writeBatch', { id, index: 0, batch: twice, done })
    expect(outcomes).toHaveLength(rows)
    expect(stateOf(bench, id)).toMatchObject({
      added: rows / 2,
      skipped_duplicate: rows / 2,
      records: rows,
      subscribers: rows / 2
    })
  })
})
